import type { EngineState } from '../engine/engine.ts';
import type { Simulation } from '../simulation/simulation.ts';
import type { Course } from './scenario-course.ts';

export type Compared = { name: string; worth: number };

export type Comparison = {
  turns: number;
  /** False if a scenario was played longer; its later turns are ignored. */
  isEqual: boolean;
  /** Highest worth first; empty or a single entry if there is nothing to compare. */
  ranked: readonly Compared[];
  /** Names of scenarios that began after others had ended. */
  leftOut: readonly string[];
};

/**
 * Compares scenarios after the longest time that all of them have played, so that a paused scenario
 * is not compared with later turns of others. Worth is the valuation less new equity at initial
 * prices, so that neither financing nor inflation counts as success. Returns undefined for a single
 * scenario.
 */
export const compareCourses = (
  { opening, turnUnit }: Pick<Simulation, 'opening' | 'turnUnit'>,
  courses: readonly Course[],
): Comparison | undefined => {
  if (courses.length < 2) return undefined;
  const ends = courses.map(({ states }) => states.at(-1)!.engineState.quarter);
  const common = Math.min(...ends);
  const compared: Compared[] = [];
  const leftOut: string[] = [];
  for (const course of courses) {
    const { name } = course.scenario;
    const state = course.states.find(({ engineState }) => engineState.quarter === common);
    if (state) compared.push({ name, worth: worthOf(state.engineState, opening) });
    else leftOut.push(name);
  }
  return {
    turns: (common - opening.quarter) / QUARTERS[turnUnit],
    isEqual: ends.every((quarter) => quarter === common),
    ranked: compared.toSorted((one, other) => other.worth - one.worth),
    leftOut,
  };
};

const QUARTERS: Readonly<Record<Simulation['turnUnit'], number>> = { quarter: 1, year: 4 };

const worthOf = ({ company, world }: EngineState, opening: EngineState): number => {
  const equity = company.equityPaid - opening.company.equityPaid;
  return (company.valuation - equity) / (world.priceLevel / opening.world.priceLevel);
};
