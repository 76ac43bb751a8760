import { unavailable } from '@witan/contracts';
import { noSuchSimulation } from './simulation-errors.ts';
import type { SimulationStore } from './simulation.ts';
import { LeaseLostError } from './turn-store.ts';
import type { SimulationLease } from './lease-simulation.ts';

/**
 * Returns, as `cause`, the error to throw for a failed call: `error` itself or, if the lease was
 * lost, NOT_FOUND for a deleted simulation and UNAVAILABLE for one that another call has leased.
 */
export const toLeaseError = async (
  error: unknown,
  { leased, signal }: Pick<SimulationLease, 'leased' | 'signal'>,
  { simulations }: { simulations: Pick<SimulationStore, 'find'> },
): Promise<{ cause: unknown; isDeleted: boolean }> => {
  const isLost = error instanceof LeaseLostError || signal.reason instanceof LeaseLostError;
  if (!isLost) return { cause: error, isDeleted: false };
  const { workspaceId, simulationId } = leased;
  const isDeleted = !(await simulations.find(workspaceId, simulationId));
  const cause = isDeleted
    ? noSuchSimulation()
    : unavailable('The simulation was taken over; what was decided is kept: try again.');
  return { cause, isDeleted };
};
