import { describe, expect, it } from '@jest/globals';
import { reportOf, toPage } from '../../test/play-report.ts';
import { REPORTED_PLAYS } from '../../test/reported-plays.ts';
import type { ReportPlay } from '../../test/play-report.ts';

/** A council that spends more each turn, whatever the figures are. */
const spend: ReportPlay['council'] = (turn) => ({
  marketingPct: 3 + 1.6 * turn,
  headcountChange: 4.5,
});
const MACHINE_WORKS: ReportPlay = {
  name: 'Machine works',
  companyBase: {
    ...{ sector: 'manufacturing', revenue: 45e6, employees: 260, burn: 425e3 },
    ...{ cash: 4e6, currency: 'EUR' },
  },
  ...{ turnUnit: 'year', seed: 3, turns: 3, scenarios: [{ name: 'Baseline' }], council: spend },
};
const SAAS: ReportPlay = {
  companyBase: { sector: 'saas', revenue: 2.4e6, employees: 24, burn: 160e3, cash: 1.5e6 },
  ...{ seed: 7, turns: 8, council: spend },
  scenarios: [{ name: 'As it goes' }, { name: 'Recession', parameters: { gdpGrowth: -6 } }],
};

describe('the report of a company that has run out of money', () => {
  it.each([
    ['one scenario', MACHINE_WORKS],
    ['two scenarios', SAAS],
  ])('values nothing and gives only advice for its state: %s', async (_, play) => {
    const report = await reportOf(play);
    const page = toPage(report);

    expect(page).toContain('nothing is left for its owners');
    expect(page).not.toMatch(
      /does best|less new equity|want of money|Build on|Be slow|Prepare for/,
    );
    expect(report.template.recommendations).toEqual([
      expect.stringContaining('find owners who pay in fresh money'.slice(1)),
      expect.stringContaining('raise money or cut costs earlier'),
    ]);
    expect(report.figures.map(({ label }) => label)).not.toContain('valuation at the end');
  });

  it('tells in which scenario it could pay longer', async () => {
    const { template } = await reportOf(SAAS);

    expect(template.summary).toMatch(
      /scenario the company cannot pay .+: in “.+” since turn \d and in “.+” since turn \d\.$/,
    );
  });

  it('does not compare a value with none', async () => {
    const thrift = { name: 'Thrift' };
    const council: ReportPlay['council'] = (_, scenario) =>
      scenario === 'Thrift' ? { headcountChange: -5, raiseEquity: 8e5 } : spend(3, scenario);
    const { template, comparison } = await reportOf({
      ...SAAS,
      ...{ council, scenarios: [SAAS.scenarios[0]!, thrift] },
    });

    expect(comparison!.ranked.map(({ name, worth }) => [name, worth > 0])).toEqual([
      ['Thrift', true],
      ['As it goes', false],
    ]);
    expect(template.summary).toMatch(
      /does best in “Thrift”, with .+ million; it cannot pay what is due in “As it goes” since/,
    );
    expect(template.recommendations).toContainEqual(
      expect.stringMatching(/^Prepare for “As it goes”, in which the company cannot pay from turn/),
    );
  });
});

describe('the report of a company that may run out of money', () => {
  const PLAY = REPORTED_PLAYS['before-the-first-sale']!;

  it('names the time in which a forecast says so', async () => {
    const { template, figures } = await reportOf(PLAY);
    const { template: german } = await reportOf({
      ...PLAY,
      name: 'Unser Plan für das nächste Jahr',
    });

    expect(template.risks.join(' ')).toMatch(
      /a further year .+ It becomes insolvent within that year in \d+(?:\.\d)? % of the forecasts/,
    );
    expect(german.risks.join(' ')).toMatch(
      /weiteren Jahr .+ In \d+(?:,\d)? % der Prognosen wird es in diesem Jahr zahlungsunfähig/,
    );
    expect(figures.map(({ label }) => label)).toContain(
      'forecasts in which it becomes insolvent within a year after the end',
    );
  });
});

describe('the report of a company that ran out of money for a time', () => {
  it('tells an insolvency within a year, the cuts, and no advice to spend more', async () => {
    const { template } = await reportOf({ ...MACHINE_WORKS, council: () => ({ priceChange: 0 }) });

    expect(template.summary).toMatch(/could not pay for what it wanted to spend in turns? \d/);
    expect(template.summary).toMatch(
      /It became insolvent in turn \d, lost staff whom it did not pay, and could pay again/,
    );
    expect(template.risks).toContainEqual(expect.stringMatching(/was insolvent .* and recovered/));
    expect(template.recommendations.join(' ')).not.toContain('Spend more');
  });
});

describe('a decision that lacked money', () => {
  it('is none if cash alone moved the lever', async () => {
    const { decisions } = await reportOf({
      companyBase: { sector: 'retail', revenue: 12e6, burn: 60e3, cash: 60e3, creditLine: 400e3 },
      ...{ seed: 42, turns: 4, scenarios: [{ name: 'Base' }] },
      council: () => ({ priceChange: 0 }),
    });

    expect(decisions).toEqual([]);
  });

  it('is reported with what was wanted', async () => {
    const { keyDecisions, decisions } = await reportOf({
      companyBase: { sector: 'services', revenue: 9e6, burn: -20e3, cash: 150e3, creditLine: 0 },
      ...{ seed: 21, turns: 1, scenarios: [{ name: 'Base' }] },
      council: () => ({ headcountChange: 20 }),
    });
    const { value, wanted } = decisions[0]!;

    expect(wanted).toBe(20);
    expect(value).toBeLessThan(20);
    expect(keyDecisions[0]).toMatch(
      /^Turn 1: grew the staff by [\d.]+ % \(it wanted 20 %, and could not pay for more\)\./,
    );
  });
});

describe('the recommendations', () => {
  it.each([
    ['a single scenario', [{ name: 'Base' }]],
    ['three alike', [{ name: 'A' }, { name: 'B' }, { name: 'C' }]],
  ])('advise a company whose council holds its course: %s', async (_, scenarios) => {
    const { template } = await reportOf({
      companyBase: { sector: 'retail', revenue: 12e6, cash: 900e3 },
      ...{ seed: 42, turns: 4, scenarios, council: () => ({ priceChange: 0 }) },
    });

    expect(template.recommendations.join(' ')).toMatch(/decide what the cash is for|agree now on/i);
    expect(template.recommendations.join(' ')).toContain('Play a branch in which');
  });
});
