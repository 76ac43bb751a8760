import { quartersOf } from '../engine/engine.ts';
import type { EngineState } from '../engine/engine.ts';
import type { Simulation } from '../simulation/simulation.ts';
import { toInsolvency } from './scenario-history.ts';
import type { ScenarioHistory } from './scenario-history.ts';

/** `insolventSince` is the first turn from which on the company cannot pay. It is then worth 0. */
export type RankedScenario = { name: string; worth: number; insolventSince: number | undefined };

export type Comparison = {
  turns: number;
  /**
   * True if the last turns of all scenarios end at the same time. Otherwise later turns are
   * ignored.
   */
  isEqual: boolean;
  /**
   * Scenarios by worth, highest first, and after them insolvent ones, the last to become insolvent
   * first. Fewer than two if there is nothing to compare.
   */
  ranked: readonly RankedScenario[];
  /**
   * Names of scenarios that began too late to be compared, because they have no state at the
   * compared time.
   */
  omitted: readonly string[];
};

/**
 * Compares scenarios after the longest time that all of them have played, so that a paused scenario
 * is not compared with later turns of others. Their worth is the valuation less new equity, at the
 * prices of turn 0, so that neither financing nor inflation counts as success. Returns undefined
 * for a single scenario.
 */
export const compareScenarios = (
  { opening, turnUnit }: Pick<Simulation, 'opening' | 'turnUnit'>,
  histories: readonly ScenarioHistory[],
): Comparison | undefined => {
  if (histories.length < 2) return undefined;
  const periodEnds = histories.map(({ states }) => states.at(-1)!.engineState.quarter);
  const commonQuarters = Math.min(...periodEnds);
  const compared: RankedScenario[] = [];
  const omitted: string[] = [];
  for (const history of histories) {
    const { name } = history.scenario;
    const end = history.states.findIndex(
      ({ engineState }) => engineState.quarter === commonQuarters,
    );
    if (end < 0) omitted.push(name);
    else {
      const states = history.states.slice(0, end + 1);
      const { insolventSince } = toInsolvency(states) ?? {};
      const worth =
        insolventSince === undefined ? computeWorth(states[end]!.engineState, opening) : 0;
      compared.push({ name, worth, insolventSince });
    }
  }
  return {
    turns: (commonQuarters - opening.quarter) / quartersOf(turnUnit),
    isEqual: periodEnds.every((quarter) => quarter === commonQuarters),
    ranked: compared.toSorted(byEnd),
    omitted,
  };
};

const byEnd = (a: RankedScenario, b: RankedScenario): number => {
  const [solventUntilA, solventUntilB] = [
    a.insolventSince ?? Infinity,
    b.insolventSince ?? Infinity,
  ];
  return solventUntilA === solventUntilB ? b.worth - a.worth : solventUntilB - solventUntilA;
};

const computeWorth = ({ company, world }: EngineState, opening: EngineState): number => {
  const equity = company.equityPaid - opening.company.equityPaid;
  return (company.valuation - equity) / (world.priceLevel / opening.world.priceLevel);
};
