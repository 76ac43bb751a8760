import { describe, expect, it } from '@jest/globals';
import { playReported } from '../../../test/play-report.ts';
import { findKeyDecisions } from '../key-decisions.ts';
import { findAdviceErrors, findCopiedFacts } from './find-advice-errors.ts';

/** Prices and marketing are cut, which costs value; the staff is cut, which adds some. */
const played = playReported({
  companyBase: { sector: 'saas', revenue: 2.4e6, employees: 24, cash: 1.5e6 },
  ...{ seed: 3, turns: 1, scenarios: [{ name: 'Base' }] },
  council: () => ({ priceChange: -10, marketingPct: 0, headcountChange: -25 }),
});
const decisions = findKeyDecisions(played.simulation, played.histories);
const errorsOf = (text: string, language: 'en' | 'de' = 'en') =>
  findAdviceErrors(text, { decisions, language }).map((error) => error.text);

describe('findAdviceErrors', () => {
  it('knows what the decisions brought', () => {
    const signs = decisions.map(({ lever, worth }) => [lever, Math.sign(worth)]);
    expect(Object.fromEntries(signs)).toMatchObject({ priceChange: -1, headcountChange: 1 });
  });

  it.each([
    // As a model of 0.5 billion parameters wrote it.
    "Cut prices by 10 % beyond inflation. Without it the company's valuation less new equity " +
      'would be 883 thousand EUR higher at the end.',
    'The company should lower its prices.',
    'Reduce marketing, and hire more sales people.',
    'Consider reducing prices further.',
    'Continue to cut marketing.',
  ])('finds advice against the effect of a decision: %s', (text) => {
    expect(errorsOf(text)).toHaveLength(1);
  });

  it.each([
    'Raise prices by 10 % beyond inflation.',
    'Do not cut prices again.',
    'Avoid cutting prices.',
    'Be slow to repeat what cost most: in turn 1 the company cut prices by 10 %.',
    'Cutting prices took 883 thousand EUR off the valuation.',
    'Cut the staff by 25 %.',
    'Spend more on research and development.',
    'Raise marketing instead of cutting prices.',
    'Watch what rivals do when they lower their prices.',
  ])('accepts advice that the figures hold, and other statements: %s', (text) => {
    expect(errorsOf(text)).toEqual([]);
  });

  it('reads German', () => {
    expect(errorsOf('Die Preise sollten weiter gesenkt werden.', 'de')).toHaveLength(1);
    expect(errorsOf('Die Preise wieder erhöhen.', 'de')).toEqual([]);
    expect(errorsOf('Die Preise nicht noch einmal senken.', 'de')).toEqual([]);
  });
});

describe('findCopiedFacts', () => {
  const turns = { scenario: 'Base', label: 'turns played', text: '1 turn' };
  const find = (text: string) =>
    findCopiedFacts(text, [{ ...turns, value: 1, unit: 'turns', isChange: false }]);

  it('finds a line of the fact table that is no sentence', () => {
    expect(find('turns played: 1 turn')).toEqual([
      { text: 'turns played: 1 turn', reason: 'no sentence' },
    ]);
    expect(find('"Base": turns played: 1 turn.')).toHaveLength(1);
  });

  it('accepts a sentence with the figure', () => {
    expect(find('The company has played 1 turn only.')).toEqual([]);
  });
});
