import { describe, expect, it } from '@jest/globals';
import { endOf, openCompany } from '../../../test/play-company.ts';
import { decide, weightedMedian } from './decide.ts';
import type { Proposal } from './decide.ts';
import { defaultLevers, describeLevers } from './lever.ts';

const state = openCompany({ cash: 2_000_000, debt: 100_000 });
const proposalWith = (
  levers: Record<string, number>,
  confidence = 0.5,
  agentId = 'a',
): Proposal => ({
  agentId,
  levers,
  confidence,
});

describe('decide', () => {
  it('returns the default levers without proposals', () => {
    const defaults = defaultLevers(state.company);

    expect(decide([], state)).toEqual({ levers: defaults, clamped: [], isFallback: true });
    expect(decide([proposalWith({ priceChange: NaN, mood: 3 })], state).isFallback).toBe(true);
  });

  it('returns the median of each lever, and the default without proposals', () => {
    const proposals = [1, 2, 9].map((priceChange) => proposalWith({ priceChange }));
    const { levers, isFallback } = decide(proposals, state);

    expect(levers).toEqual({ ...defaultLevers(state.company), priceChange: 2 });
    expect(isFallback).toBe(false);
  });

  it('never lets one agent of three outvote the other two', () => {
    const outlier = proposalWith({ priceChange: -10, headcountChange: -25 }, 1, 'rogue');
    const others = [
      proposalWith({ priceChange: 2, headcountChange: 4 }, 0),
      proposalWith({ priceChange: 3, headcountChange: 5 }, 0),
    ];
    const { levers } = decide([outlier, ...others], state);

    expect(levers.priceChange).toBeGreaterThanOrEqual(2);
    expect(levers.headcountChange).toBeGreaterThanOrEqual(4);
  });

  it.each([
    ['a fraction that means percent', 0.2, 'unlikely'],
    ['a fraction of a percent', 0.03, 'unlikely'],
    ['a tenth', 0.3, undefined],
    ['an end of the spending', 0, undefined],
  ])('does not count a spending percentage that is ten times off, and says so: %s', (...row) => {
    const [, marketingPct, reason] = row;
    expect(state.company.marketingPct).toBe(3);
    const proposals = [marketingPct, marketingPct, 4].map((value, index) =>
      proposalWith({ marketingPct: value }, 0.5, `agt_${index}`),
    );
    const { levers, clamped } = decide(proposals, state);

    expect(levers.marketingPct).toBe(reason ? 4 : marketingPct);
    expect(clamped).toEqual(
      reason
        ? [1, 2].map(() => ({ lever: 'marketingPct', asked: marketingPct, taken: 4, reason }))
        : [],
    );
  });

  it('keeps a percentage for which every proposal is ten times off', () => {
    const { levers, clamped, isFallback } = decide([proposalWith({ marketingPct: 38 })], state);

    expect(levers.marketingPct).toBe(3);
    expect(clamped).toEqual([{ lever: 'marketingPct', asked: 38, taken: 3, reason: 'unlikely' }]);
    expect(isFallback).toBe(false);
  });

  it('weights proposals by confidence', () => {
    const proposals = [
      proposalWith({ priceChange: 1 }, 0.9),
      proposalWith({ priceChange: 5 }, 0.2),
    ];

    expect(decide(proposals, state).levers.priceChange).toBe(1);
  });

  it('is independent of the order of proposals', () => {
    const proposals = [3, -4, 8, 1, 1].map((priceChange, index) =>
      proposalWith({ priceChange }, index / 5),
    );

    expect(decide(proposals.toReversed(), state)).toEqual(decide(proposals, state));
  });

  it('limits levers to the bounds of the state, and reports it', () => {
    const { levers, clamped } = decide(
      [proposalWith({ priceChange: 50, newMarketEntry: 0.7 })],
      state,
    );

    expect(levers).toMatchObject({ priceChange: 10, newMarketEntry: 1 });
    expect(clamped).toContainEqual({
      lever: 'priceChange',
      asked: 50,
      taken: 10,
      reason: 'bounds',
    });
  });

  it.each([
    ['zero', () => 0],
    ['the lower end', ({ min }: { min: number }) => min],
    ['the upper end', ({ max }: { max: number }) => max],
  ])('does not count a proposal with all levers at %s, and says so', (_what, valueOf) => {
    const company = openCompany({ sector: 'saas', burn: 20_000, cash: 1_500_000 });
    const levers = Object.fromEntries(
      describeLevers(company).map((lever) => [lever.name, valueOf(lever)]),
    );
    const decision = decide([proposalWith(levers), proposalWith(levers, 1, 'b')], company);

    expect(decision.levers).toEqual(defaultLevers(company.company));
    expect(new Set(decision.clamped.map(({ reason }) => reason))).toEqual(new Set(['unlikely']));
    const honest = decide([proposalWith({ ...levers, priceChange: 3 })], company);
    expect(honest.levers.priceChange).toBe(3);
  });

  it('limits spending to what an ordinary quarter can pay, and reports it', () => {
    const poorCompany = openCompany({ sector: 'saas', burn: 50_000, cash: 160_000, creditLine: 0 });
    const expensive = { marketingPct: 40, rdPct: 40, capexPct: 30, headcountChange: 25 };
    const { levers, clamped } = decide([proposalWith(expensive)], poorCompany);

    expect(clamped.map(({ lever, reason }) => [lever, reason])).toEqual([
      ['marketingPct', 'cash'],
      ['rdPct', 'cash'],
      ['headcountChange', 'cash'],
      ['capexPct', 'cash'],
    ]);
    expect(levers.marketingPct).toBeGreaterThan(0);
    const usualParameters = { eventHazard: { cyber_incident: 0 } };
    const end = endOf(poorCompany, { levers, parameters: usualParameters, seed: 3 }).company;
    expect(end.cash + 20_000).toBeGreaterThan(0);
  });

  it('limits spending for four quarters if a turn is a year', () => {
    const poorCompany = openCompany({ sector: 'saas', burn: 50_000, cash: 400_000, creditLine: 0 });
    const [quarter, year] = (['quarter', 'year'] as const).map(
      (unit) => decide([proposalWith({ marketingPct: 14 })], poorCompany, unit).levers.marketingPct,
    );

    expect(quarter).toBe(14);
    expect(year).toBeLessThan(14);
  });
});

describe('describeLevers', () => {
  it('returns defaults within the bounds, with descriptions for agents', () => {
    for (const { min, max, defaultValue, description } of describeLevers(state)) {
      expect(min).toBeLessThanOrEqual(defaultValue);
      expect(max).toBeGreaterThanOrEqual(defaultValue);
      expect(description.length).toBeGreaterThan(20);
    }
  });

  it('allows an insolvent company to restructure only', () => {
    const company = { ...state.company, isInsolvent: true, arrears: 1 };
    const maximumLevers = Object.fromEntries(
      describeLevers({ ...state, company }).map(({ name, max }) => [name, max]),
    );

    expect(maximumLevers).toMatchObject({
      headcountChange: 0,
      debtChange: 0,
      newMarketEntry: 0,
      marketingPct: company.marketingPct,
      costProgram: 10,
    });
    expect(maximumLevers['raiseEquity']).toBeGreaterThan(0);
  });
});

describe('weightedMedian', () => {
  it.each<[string, [number, number][], number]>([
    ['one', [[4, 1]], 4],
    [
      'the middle of three',
      [
        [9, 1],
        [1, 1],
        [2, 1],
      ],
      2,
    ],
    [
      'between two',
      [
        [1, 1],
        [3, 1],
      ],
      2,
    ],
    [
      'the heavier of two',
      [
        [1, 0.6],
        [3, 1],
      ],
      3,
    ],
    [
      'between where weights balance',
      [
        [1, 1],
        [2, 1],
        [8, 2],
      ],
      5,
    ],
  ])('returns %s', (_, items, expected) => {
    const weighted = items.map(([value, weight]) => ({ value, weight }));

    expect(weightedMedian(weighted)).toBe(expected);
    expect(weightedMedian(weighted.toReversed())).toBe(expected);
  });
});
