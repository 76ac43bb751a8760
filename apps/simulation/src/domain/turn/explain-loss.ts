import { unavailable } from '@witan/contracts';
import { noSuchSimulation } from '../simulation/refusals.ts';
import type { SimulationStore } from '../simulation/simulation.ts';
import { SimulationLost } from './turn-store.ts';
import type { Hold } from './hold-simulation.ts';

/**
 * What a call ends with that failed with `error` while it held a simulation: where that was taken
 * away the caller hears why, and everything else stays as it is.
 */
export const explainLoss = async (
  error: unknown,
  { held, signal }: Pick<Hold, 'held' | 'signal'>,
  { simulations }: { simulations: Pick<SimulationStore, 'find'> },
): Promise<{ cause: unknown; isGone: boolean }> => {
  const isLost = error instanceof SimulationLost || signal.reason instanceof SimulationLost;
  if (!isLost) return { cause: error, isGone: false };
  const { workspaceId, simulationId } = held;
  const isGone = !(await simulations.find(workspaceId, simulationId));
  const cause = isGone
    ? noSuchSimulation()
    : unavailable('The simulation was taken over; what was decided is kept: try again.');
  return { cause, isGone };
};
