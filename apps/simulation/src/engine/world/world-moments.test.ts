import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@bufbuild/protobuf';
import { createDraws, drawQuarter, toRandomSource } from '../random/draw-quarter.ts';
import { SECTORS } from '../company/sector.ts';
import { toClimate } from './climate.ts';
import { createShock } from './event-catalogue.ts';
import { stepEvents } from './shock.ts';
import { stepWorld } from './step-world.ts';
import { readParameters } from './world-parameters.ts';
import { openWorld } from './world-state.ts';
import type { WorldState } from './world-state.ts';

type Rate = 'gdpGrowth' | 'inflationRate' | 'interestRate' | 'unemployment';

const [MANY_QUARTERS, FEWER_QUARTERS] = [100_000, 20_000] as const;

const playWorld = (parameters: JsonObject, seed: number, quarters: number): WorldState[] => {
  const climate = toClimate(readParameters(parameters).parameters, 1);
  const world = openWorld();
  const [draws, shock, random] = [createDraws(), createShock(), toRandomSource(seed)];
  return Array.from({ length: quarters }, (_, quarter) => {
    drawQuarter(draws, random, quarter);
    const { hazards } = climate;
    stepEvents(shock, world.running, { hazards, draws: draws.events, concentration: 0.1 });
    stepWorld(world, draws, shock, climate, SECTORS.services);
    return { ...world };
  });
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const computeMoments = (
  history: readonly WorldState[],
  rate: Rate,
): { mean: number; sd: number; persistence: number } => {
  const values = history.map((world) => world[rate]);
  const middle = mean(values);
  const variance = mean(values.map((value) => (value - middle) ** 2));
  const pairs = values.slice(1).map((value, index) => (value - middle) * (values[index]! - middle));
  return { mean: middle, sd: Math.sqrt(variance), persistence: mean(pairs) / variance };
};

describe('the long regime', () => {
  const history = playWorld({}, 20_261_122, MANY_QUARTERS);

  // Mean, standard deviation and first autocorrelation of US quarters 1959Q2 to 2009Q3 from FRED.
  it.each<[Rate, number, number, number]>([
    ['gdpGrowth', 3.1, 3.52, 0.3],
    ['inflationRate', 3.98, 3.25, 0.64],
    ['interestRate', 5.32, 2.8, 0.96],
  ])('has the moments of US data: %s', (rate, middle, sd, persistence) => {
    const moments = computeMoments(history, rate);

    expect(Math.abs(moments.mean / middle - 1)).toBeLessThan(0.1);
    expect(Math.abs(moments.sd / sd - 1)).toBeLessThan(0.1);
    expect(Math.abs(moments.persistence - persistence)).toBeLessThan(0.05);
  });

  it('has the moments of US unemployment', () => {
    const moments = computeMoments(history, 'unemployment');

    expect(Math.abs(moments.mean / 5.89 - 1)).toBeLessThan(0.1);
    expect(Math.abs(moments.sd / 1.46 - 1)).toBeLessThan(0.1);
    expect(moments.persistence).toBeGreaterThan(0.95);
  });

  it('follows Okun’s law', () => {
    const growth = history.slice(1).map(({ gdpGrowth }) => gdpGrowth);
    const change = history.slice(1).map(({ unemployment }, index) => {
      return unemployment - history[index]!.unemployment;
    });
    const middle = mean(growth);
    const slope =
      mean(growth.map((value, index) => (value - middle) * change[index]!)) /
      mean(growth.map((value) => (value - middle) ** 2));

    expect(slope).toBeGreaterThan(-0.09);
    expect(slope).toBeLessThan(-0.04);
  });
});

describe('the moderation regime', () => {
  const history = playWorld({ regime: 'moderation' }, 7, FEWER_QUARTERS);

  it.each<[Rate, number, number]>([
    ['gdpGrowth', 3.13, 2.04],
    ['inflationRate', 3.05, 1.75],
    ['interestRate', 4.87, 2.11],
  ])('has the moments of 1984 to 2007: %s', (rate, middle, sd) => {
    const moments = computeMoments(history, rate);

    expect(Math.abs(moments.mean / middle - 1)).toBeLessThan(0.1);
    expect(Math.abs(moments.sd / sd - 1)).toBeLessThan(0.1);
  });
});

describe('a pinned figure', () => {
  it('sets the observed rate, and the economy continues from it', () => {
    const history = playWorld({ gdpGrowth: -2 }, 7, FEWER_QUARTERS);
    const unpinned = playWorld({}, 7, FEWER_QUARTERS);

    expect(new Set(history.map(({ gdpGrowth }) => gdpGrowth))).toEqual(new Set([-2]));
    expect(computeMoments(history, 'interestRate').mean).toBeLessThan(
      computeMoments(unpinned, 'interestRate').mean - 1,
    );
    expect(computeMoments(history, 'unemployment').mean).toBeGreaterThan(12);
  });
});
