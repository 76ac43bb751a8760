import { describe, expect, it } from '@jest/globals';
import { readCompanyBase } from '../company/read-company-base.ts';
import { SECTORS } from '../company/sector.ts';
import { defaultLevers } from '../lever/lever.ts';
import { readParameters } from '../world/world-parameters.ts';
import { openState } from './engine-state.ts';
import { playTurns } from './play-turn.ts';

const [FIRMS, CLASSES, QUARTERS] = [2_000, 8, 24] as const;
const SECTOR_NAMES = Object.keys(SECTORS);
const { parameters } = readParameters({});

type Firm = { employees: number; growth: number[]; margins: number[] };

const playFirm = (index: number): Firm => {
  const employees = Math.round(2 * 25_000 ** ((index + 0.5) / FIRMS));
  const sector = SECTOR_NAMES[index % SECTOR_NAMES.length]!;
  let state = openState(readCompanyBase({ sector, employees }).company);
  const firm: Firm = { employees, growth: [], margins: [] };
  for (let turn = 1; turn <= QUARTERS; turn += 1) {
    const levers = defaultLevers(state.company);
    const before = state.company.revenue;
    const input = { levers, parameters, seed: 1_000 + index, turn, turnUnit: 'quarter' } as const;
    state = playTurns(state, [input]);
    const { company, world } = state;
    // Growth from sector and inflation, which all companies share. It is divided out to get the
    // company's own growth.
    const common = 1 + (world.sectorGrowth + world.inflationRate) / 400;
    firm.growth.push(Math.log(company.revenue / before / common));
    firm.margins.push(company.ebitda / company.revenue);
  }
  return firm;
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const deviationOf = (values: readonly number[]): number => {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
};
const slopeOf = (points: readonly (readonly [x: number, y: number])[]): number => {
  const middle = mean(points.map(([x]) => x));
  const rise = points.map(([x, y]) => (x - middle) * y);
  return mean(rise) / mean(points.map(([x]) => (x - middle) ** 2));
};
const sumsOf = (values: readonly number[], size: number): number[] =>
  Array.from({ length: values.length / size }, (_, index) =>
    values.slice(index * size, (index + 1) * size).reduce((sum, value) => sum + value, 0),
  );

/**
 * Compares 2,000 companies over six years with published statistics of firms (Amaral et al. 1997;
 * Fu et al., PNAS 2005; Riccaboni et al., PNAS 2008).
 */
describe('a cross-section of companies', () => {
  const firms = Array.from({ length: FIRMS }, (_, index) => playFirm(index));
  const classes = Array.from({ length: CLASSES }, (_, index) =>
    firms.slice((index * FIRMS) / CLASSES, ((index + 1) * FIRMS) / CLASSES),
  );
  const spread = (quarters: number): [number, number][] =>
    classes.map((own) => [
      mean(own.map(({ employees }) => Math.log(employees))),
      Math.log(deviationOf(own.flatMap(({ growth }) => sumsOf(growth, quarters)))),
    ]);

  it('has tent-shaped growth rates in every class of size', () => {
    for (const own of classes) {
      const growth = own.flatMap((firm) => firm.growth);
      const middle = mean(growth);
      const deviation = deviationOf(growth);
      // The mean absolute deviation is 0.707 standard deviations for a Laplace and 0.798 for a
      // normal distribution; the kurtosis is 6 and 3.
      const meanDeviation = mean(growth.map((rate) => Math.abs(rate - middle))) / deviation;
      expect(meanDeviation).toBeGreaterThan(0.68);
      expect(meanDeviation).toBeLessThan(0.74);
      expect(mean(growth.map((rate) => ((rate - middle) / deviation) ** 4))).toBeGreaterThan(5);
    }
  });

  it('has a volatility that decreases with size by a power law', () => {
    const beta = -slopeOf(spread(1));
    expect(beta).toBeGreaterThan(0.14);
    expect(beta).toBeLessThan(0.2);
    // The exponent is lower over a year, because events that affect all companies add variance that
    // does not depend on size.
    expect(-slopeOf(spread(4))).toBeGreaterThan(0.12);
  });

  it('has persistent profitability', () => {
    const pairs = firms.flatMap(({ margins }) => {
      const years = sumsOf(margins, 4).map((sum) => sum / 4);
      return years.slice(1).map((next, index) => [years[index]!, next] as const);
    });
    const persistence = slopeOf(pairs);
    expect(persistence).toBeGreaterThan(0.3);
    expect(persistence).toBeLessThan(1.05);
  });
});
