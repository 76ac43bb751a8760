import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { playReported } from '../../../test/play-report.ts';
import type { ReportPlay } from '../../../test/play-report.ts';
import { findMoveErrors } from './find-move-errors.ts';

/** Turn 1: marketing down, prices up; turn 2: no change; turn 3: marketing up, staff down. */
const council: ReportPlay['council'] = (turn) => ({
  marketingPct: [4, 4, 12][turn - 1]!,
  priceChange: turn === 1 ? 2 : 0,
  headcountChange: turn === 3 ? -8 : 0,
});
const { histories } = playReported({
  companyBase: { sector: 'saas', revenue: 2.4e6, employees: 24, burn: 60e3, cash: 1.5e6 },
  ...{ seed: 7, turns: 3, council },
  scenarios: [{ name: 'Base' }, { name: 'Boom', parameters: { gdpGrowth: 9 } }],
});
const errorsOf = (text: string, language: 'en' | 'de' = 'en') =>
  findMoveErrors(text, { histories, language }).map((error) => error.text);

describe('findMoveErrors', () => {
  it.each([
    ['The company lowered its prices in turn 2.', 'The company lowered its prices in turn 2.'],
    ['In turn 2, prices were lowered.', 'prices were lowered.'],
    ['It raised marketing in turn 1.', 'It raised marketing in turn 1.'],
    ['In “Boom” it cut the staff in turn 1.', 'In “Boom” it cut the staff in turn 1.'],
    ['Cash rose in turn 1, which was good.', 'Cash rose in turn 1'],
    ['Prices were raised in turn 9.', 'Prices were raised in turn 9.'],
    ['Its market share grew.', 'Its market share grew.'],
    ['The company raised its debt.', 'The company raised its debt.'],
    ['Cash rose, and the staff was cut.', 'Cash rose'],
    ['The lost share caused a price war.', 'caused a price war'],
    ['The rise of prices led to a recession in turn 3.', 'led to a recession'],
  ])('finds a move or a cause that was not: %s', (text, error) => {
    expect(errorsOf(text)).toEqual([error]);
  });

  it.each([
    'It raised its prices in turn 1, lowered marketing in turn 1 and cut the staff in turn 3.',
    'In turn 3 it raised marketing and cut the staff.',
    'In turn 1, prices rose.',
    'It did not lower its prices in turn 2.',
    'Competitors lowered their prices in turn 2.',
    'Cash fell from turn 1 to turn 3; it was lowest in turn 3.',
    'Had it lowered prices in turn 2, it would have won share.',
    'A price war in turn 2 led to a loss of market share.',
    'The recession caused a fall of revenue.',
    'The company raised its prices and cut the staff.',
    'Cash fell.',
    'Revenue rose at first.',
    'Revenue rose in the last quarter.',
  ])('accepts what was, and what is not stated: %s', (text) => {
    expect(errorsOf(text)).toEqual([]);
  });

  it('finds moves in German', () => {
    expect(errorsOf('In Runde 2 senkte das Unternehmen die Preise.', 'de')).toHaveLength(1);
    expect(errorsOf('In Runde 1 erhöhte das Unternehmen die Preise.', 'de')).toEqual([]);
    expect(errorsOf('Der Preisanstieg führte zu einer Rezession.', 'de')).toHaveLength(1);
  });

  it('finds the false statements of a report that a small model wrote', async () => {
    const file = new URL(
      '../../../../../libs/testing/data/real-models-answers.ndjson',
      import.meta.url,
    );
    const rows = (await readFile(file, 'utf8')).trim().split('\n');
    const [answer] = rows
      .map((row) => JSON.parse(row) as { kind: string; answer: string })
      .filter(({ kind }) => kind === 'report');
    const { summary, risks } = JSON.parse(answer!.answer) as { summary: string; risks: string[] };

    expect(errorsOf(summary)).toEqual(['lowered in turn 2.']);
    expect(risks.flatMap((risk) => errorsOf(risk))).toEqual([
      'led to a price war',
      'led to a price war',
    ]);
  });
});
