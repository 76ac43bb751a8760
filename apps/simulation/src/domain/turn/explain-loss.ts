import { unavailable } from '@witan/contracts';
import { noSuchSimulation } from '../simulation/refusals.ts';
import type { SimulationStore } from '../simulation/simulation.ts';
import { SimulationLost } from './turn-store.ts';
import type { SimulationLease } from './lease-simulation.ts';

/**
 * Returns the error to throw for a failed call: the cause if the lease was lost, otherwise `error`.
 */
export const explainLoss = async (
  error: unknown,
  { leased, signal }: Pick<SimulationLease, 'leased' | 'signal'>,
  { simulations }: { simulations: Pick<SimulationStore, 'find'> },
): Promise<{ cause: unknown; isGone: boolean }> => {
  const isLost = error instanceof SimulationLost || signal.reason instanceof SimulationLost;
  if (!isLost) return { cause: error, isGone: false };
  const { workspaceId, simulationId } = leased;
  const isGone = !(await simulations.find(workspaceId, simulationId));
  const cause = isGone
    ? noSuchSimulation()
    : unavailable('The simulation was taken over; what was decided is kept: try again.');
  return { cause, isGone };
};
