import { describe, expect, it } from '@jest/globals';
import { endOf, openCompany } from '../../../test/play-company.ts';
import { explainRevenue } from './explain-revenue.ts';

const start = openCompany({ sector: 'retail', cash: 3_000_000 });
const greatest = (parts: Readonly<Record<string, number>>, sign: 1 | -1): string =>
  Object.entries(parts).toSorted(([, one], [, other]) => sign * (other - one))[0]![0];

describe('explainRevenue', () => {
  it('splits the change into factors without a residual', () => {
    const end = endOf(start, { levers: { priceChange: 2, marketingPct: 6 }, turns: 8 });
    const parts = Object.values(explainRevenue(start, end).revenue);
    const change = Math.log(end.company.revenue / start.company.revenue);

    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(change, 6);
  });

  it.each([
    ['the market', { sectorGrowth: -30, inflationRate: 0 }, {}, 'market', -1],
    ['its share', { inflationRate: 0, sectorGrowth: 0 }, { marketingPct: 0 }, 'share', -1],
    ['prices', { inflationRate: 30, sectorGrowth: 0 }, {}, 'prices', 1],
  ] as const)('attributes the change to %s', (_, parameters, levers, driver, sign) => {
    const end = endOf(start, { levers, parameters, turns: 8 });

    expect(greatest(explainRevenue(start, end).revenue, sign)).toBe(driver);
  });

  it.each([
    ['marketing', { marketingPct: 0 }, 'brand'],
    ['the price', { priceChange: 3 }, 'price'],
  ] as const)('attributes the lost market share: %s', (_, levers, driver) => {
    const end = endOf(start, { levers, turns: 8 });

    expect(greatest(explainRevenue(start, end).share, -1)).toBe(driver);
  });
});
