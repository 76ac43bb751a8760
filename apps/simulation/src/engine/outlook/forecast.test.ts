import { describe, expect, it } from '@jest/globals';
import { endOf, openCompany, playCompany } from '../../../test/play-company.ts';
import { defaultLevers, readParameters } from '../engine.ts';
import type { EngineState } from '../engine.ts';
import { ablate } from './ablate.ts';
import { forecast, wilsonInterval, percentileRanks } from './forecast.ts';
import type { ForecastInput } from './forecast.ts';

const toInput = (state: EngineState, change: Partial<ForecastInput> = {}): ForecastInput => ({
  levers: defaultLevers(state.company),
  parameters: readParameters({}).parameters,
  seed: 5,
  turnUnit: 'quarter',
  fromTurn: 1,
  turns: 8,
  runs: 400,
  ...change,
});

describe('forecast', () => {
  const start = openCompany({ sector: 'retail' });

  it('returns ordered percentiles for each turn', () => {
    const { percentiles } = forecast(start, toInput(start));
    const { p5, p25, p50, p75, p95 } = percentiles;

    for (const name of ['revenue', 'cash', 'marketShare'] as const) {
      expect(p50[name]).toHaveLength(8);
      for (let turn = 0; turn < 8; turn += 1) {
        const row = [p5, p25, p50, p75, p95].map((path) => path[name][turn]!);
        expect(row).toEqual(row.toSorted((a, b) => a - b));
      }
    }
    expect(p95.revenue[7]! - p5.revenue[7]!).toBeGreaterThan(p95.revenue[0]! - p5.revenue[0]!);
  });

  it('returns confidence intervals of its percentiles', () => {
    const actual = forecast(start, toInput(start, { runs: 10_000, seed: 77 })).percentiles;
    const names = ['p5', 'p25', 'p50', 'p75', 'p95'] as const;
    let [insideCount, all] = [0, 0];
    for (let seed = 0; seed < 30; seed += 1) {
      const { percentiles, intervals } = forecast(start, toInput(start, { seed, turns: 4 }));
      for (const name of names) {
        const { low, high } = intervals[name];
        const median = percentiles[name].revenue[3]!;
        expect(low.revenue[3]!).toBeLessThanOrEqual(median);
        expect(high.revenue[3]!).toBeGreaterThanOrEqual(median);
        const isInside =
          low.revenue[3]! <= actual[name].revenue[3]! &&
          actual[name].revenue[3]! <= high.revenue[3]!;
        insideCount += Number(isInside);
        all += 1;
      }
    }
    expect(insideCount / all).toBeGreaterThan(0.93);
  });

  it('is reproducible for a seed, and similar for another', () => {
    const first = forecast(start, toInput(start));
    const otherSeed = forecast(start, toInput(start, { seed: 6 })).percentiles.p50.revenue[7]!;

    expect(forecast(start, toInput(start))).toEqual(first);
    expect(Math.abs(otherSeed / first.percentiles.p50.revenue[7]! - 1)).toBeLessThan(0.03);
  });

  it('covers actual results as often as its confidence states', () => {
    const { p5, p95 } = forecast(start, toInput(start)).percentiles;
    const results = Array.from({ length: 100 }, (_, seed) =>
      Number(playCompany(start, { seed: seed + 1_000, turns: 8 }).at(-1)!.companyState['revenue']),
    );
    const insideCount = results.filter((end) => end >= p5.revenue[7]! && end <= p95.revenue[7]!);

    expect(insideCount.length).toBeGreaterThan(80);
    expect(insideCount.length).toBeLessThan(99);
  });

  it('applies parameters in their turns only', () => {
    const { parameters } = readParameters({ sectorGrowth: { value: -50, fromTurn: 12 } });
    const earlyForecast = forecast(start, toInput(start, { parameters })).percentiles.p50
      .revenue[7]!;
    const lateForecast = forecast(start, toInput(start, { parameters, fromTurn: 10 }));

    expect(lateForecast.percentiles.p50.revenue[7]!).toBeLessThan(earlyForecast * 0.8);
  });

  it('returns the probability of insolvency', () => {
    const failing = openCompany({ sector: 'saas', burn: 300_000, cash: 300_000 });

    expect(forecast(start, toInput(start)).insolvency.probability).toBe(0);
    expect(forecast(failing, toInput(failing)).insolvency).toMatchObject({
      probability: 1,
      high: 1,
    });
  });
});

describe('wilsonInterval', () => {
  // Expected values are from Newcombe 1998, table I.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('returns the interval of %d in %d', (hits, runs, low, high) => {
    const interval = wilsonInterval(hits, runs);

    expect(interval.probability).toBe(hits / runs);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });
});

describe('ablate', () => {
  const start = openCompany({ sector: 'retail', cash: 3_000_000 });
  const { parameters } = readParameters({});
  const toTurn = (turn: number, levers: object) => ({
    levers: { ...defaultLevers(start.company), ...levers },
    parameters,
    seed: 5,
    turn,
    turnUnit: 'quarter' as const,
  });

  it('returns the effect of each decision, greatest first', () => {
    const turns = [
      toTurn(1, { raiseEquity: 500_000, priceChange: 0.5 }),
      toTurn(2, { priceChange: -8 }),
      toTurn(3, {}),
    ];
    const effects = ablate(start, turns);

    expect(effects.map(({ turn, lever }) => [turn, lever])).toEqual([
      [2, 'priceChange'],
      [1, 'priceChange'],
      [1, 'raiseEquity'],
    ]);
    expect(effects[0]!.marketShare).toBeGreaterThan(0);
  });

  it('counts new equity as cash but not as worth', () => {
    const [raisedEquity] = ablate(start, [toTurn(1, { raiseEquity: 500_000 }), toTurn(2, {})]);

    expect(raisedEquity).toMatchObject({
      value: 500_000,
      defaultValue: 0,
      marketShare: 0,
      solvency: 'none',
    });
    expect(raisedEquity!.cash).toBeCloseTo(500_000, 0);
    expect(raisedEquity!.valuation).toBeCloseTo(500_000, 0);
    expect(raisedEquity!.worth).toBeCloseTo(0, 0);
  });

  it('marks the decision that prevented insolvency', () => {
    const poorCompany = openCompany({
      sector: 'saas',
      burn: 200_000,
      cash: 300_000,
      creditLine: 0,
    });
    const hold = { ...defaultLevers(poorCompany.company), raiseEquity: 0 };
    const turn = (number: number, raiseEquity: number) => ({
      ...toTurn(number, {}),
      levers: { ...hold, raiseEquity },
    });
    const [raisedEquity] = ablate(poorCompany, [turn(1, 1_500_000), turn(2, 0)]);

    expect(raisedEquity).toMatchObject({ lever: 'raiseEquity', solvency: 'rescue' });
  });

  it('marks the decision that caused insolvency', () => {
    const tight = openCompany({ sector: 'saas', burn: 50_000, cash: 400_000, creditLine: 0 });
    const hold = defaultLevers(tight.company);
    const [repaid] = ablate(openCompany({ debt: 900_000, burn: 50_000, cash: 400_000 }), [
      { ...toTurn(1, {}), levers: { ...hold, debtChange: -390_000 } },
    ]);

    expect(repaid).toMatchObject({ lever: 'debtChange', solvency: 'ruin' });
  });

  it('omits a decision without which the company could not have paid on its way', () => {
    const poorCompany = openCompany({
      sector: 'retail',
      burn: 60_000,
      cash: 150_000,
      creditLine: 0,
    });
    const hold = defaultLevers(poorCompany.company);
    const turn = (number: number, levers: object) => ({
      ...toTurn(number, {}),
      levers: { ...hold, ...levers },
    });
    const turns = [
      turn(1, { raiseEquity: 200_000 }),
      turn(2, { raiseEquity: 900_000 }),
      turn(3, {}),
    ];
    const effects = ablate(poorCompany, turns);

    expect(
      endOf(poorCompany, { levers: (n) => turns[n - 1]!.levers, seed: 5, turns: 3 }),
    ).toHaveProperty('company.isInsolvent', false);
    expect(effects.filter(({ turn: number }) => number === 1)).toEqual([]);
  });

  it('returns nothing if all levers had their default values', () => {
    expect(ablate(start, [toTurn(1, {}), toTurn(2, {})])).toEqual([]);
  });
});

describe('percentileRanks', () => {
  // Expected ranks are from Conover, Practical Nonparametric Statistics: order statistics of the
  // median at 95 %.
  it.each([
    [10, 2, 9],
    [20, 6, 15],
    [30, 10, 21],
    [50, 18, 33],
    [100, 40, 61],
  ])('returns the confidence interval of the median of %d draws', (runs, low, high) => {
    expect(percentileRanks(0.5, runs)).toEqual({ rank: runs / 2, low, high });
  });

  it('returns the outermost rank if there are too few draws', () => {
    expect(percentileRanks(0.05, 10)).toMatchObject({ rank: 1, low: 1 });
    expect(percentileRanks(0.95, 10)).toMatchObject({ rank: 10, high: 10 });
  });

  it('returns mirrored ranks for the opposite percentile', () => {
    for (const runs of [10, 37, 1_000, 10_000]) {
      const [lower, upper] = [percentileRanks(0.05, runs), percentileRanks(0.95, runs)];
      expect([runs + 1 - upper.high, runs + 1 - upper.low]).toEqual([lower.low, lower.high]);
    }
  });

  it('returns bounds about two standard deviations from the percentile', () => {
    const { rank, low, high } = percentileRanks(0.25, 10_000);
    const sd = Math.sqrt(10_000 * 0.25 * 0.75);
    expect((rank - low) / sd).toBeCloseTo(1.96, 1);
    expect((high - rank) / sd).toBeCloseTo(1.96, 1);
  });
});
