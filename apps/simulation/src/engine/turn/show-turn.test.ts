import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@bufbuild/protobuf';
import { openCompany, playCompany } from '../../../test/play-company.ts';
import { readParameters } from '../engine.ts';
import type { EngineState } from '../engine.ts';
import { showInflation } from './show-turn.ts';

const start = openCompany();
const { parameters } = readParameters({});
const play = (
  givenParameters: JsonObject,
  turns: number,
  turnUnit: 'quarter' | 'year' = 'quarter',
) =>
  playCompany(start, { parameters: givenParameters, seed: 42, turns, turnUnit }).map(
    ({ state }) => state,
  );
const show = (
  after: EngineState,
  earlier: readonly EngineState[],
  givenParameters: JsonObject = {},
) =>
  showInflation(after, earlier, {
    parameters: readParameters(givenParameters).parameters,
    turn: 1,
  });

describe('showInflation', () => {
  it('returns the increase of prices over four quarters', () => {
    const states = play({}, 6);
    const inflation = show(states[5]!, [start, ...states.slice(0, 5)]);
    const rise = states[5]!.world.priceLevel / states[1]!.world.priceLevel;
    expect(inflation).toBeCloseTo((rise - 1) * 100, 5);
  });

  it('returns rates that are less volatile than those of quarters', () => {
    const states = [start, ...play({}, 12)];
    const quarters = states.slice(1).map(({ world }) => world.inflationRate);
    const inflation = states
      .slice(1)
      .map((state, index) => show(state, states.slice(0, index + 1))!);
    const changes = (rates: readonly number[]): number[] =>
      rates.slice(1).map((rate, index) => Math.abs(rate - rates[index]!));
    expect(Math.max(...changes(quarters))).toBeGreaterThan(5);
    expect(Math.max(...changes(inflation))).toBeLessThan(3);
  });

  it('uses the equilibrium rate for quarters before turn 0', () => {
    const [first] = play({}, 1);
    const equilibriumRate = start.world.inflationRate;
    const rise = first!.world.priceLevel * (1 + equilibriumRate / 400) ** 3;
    expect(show(first!, [start])).toBeCloseTo((rise - 1) * 100, 5);
  });

  it('uses the previous average for quarters before a branch', () => {
    const states = play({}, 7);
    const branch = states[5]!;
    const mean = branch.world.priceLevel ** (1 / 6);
    const rise = (states[6]!.world.priceLevel / branch.world.priceLevel) * mean ** 3;
    expect(show(states[6]!, [branch])).toBeCloseTo((rise - 1) * 100, 5);
  });

  it('returns the rate of the turn if it is a year', () => {
    const [first, second] = play({}, 2, 'year');
    const rise = second!.world.priceLevel / first!.world.priceLevel;
    expect(show(second!, [first!, start])).toBeCloseTo((rise - 1) * 100, 5);
  });

  it('returns undefined if parameters set the rate', () => {
    const givenParameters = { inflationRate: 9 };
    const [first] = play(givenParameters, 1);
    expect(show(first!, [start], givenParameters)).toBeUndefined();
    expect(showInflation(first!, [], { parameters, turn: 1 })).toBeUndefined();
  });
});
