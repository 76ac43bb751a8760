import {
  skipToken,
  useIsMutating,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { ApiError, describeError } from '../../api/api-error.ts';
import { sessionSignal } from '../../app/session.ts';
import { notify, notifyError } from '../../ui/toast.tsx';
import { playTurn } from './advance.ts';
import type { AdvanceProgress } from './advance-progress.ts';
import { refreshSimulation, simulationQuery } from './simulations-query.ts';

const REASONS: Readonly<Record<string, string>> = {
  simulation_busy:
    'Another call is playing this simulation. Wait until its turn is there, then try again.',
  simulation_finalized: 'The simulation is over, so no further turn can be played.',
  no_active_scenario: 'All scenarios are paused. Resume one, then play the turn.',
};

/**
 * Plays turns of a simulation. The turn and its progress are in the caches, not in the component,
 * so that they go on when another page of the console is opened.
 */
export const useAdvance = (simulationId: string) => {
  const client = useQueryClient();
  const mutationKey = ['advance', simulationId];
  const isRunning = useIsMutating({ mutationKey }) > 0;
  const { data: progress } = useQuery<AdvanceProgress>({
    queryKey: mutationKey,
    queryFn: skipToken,
    gcTime: Infinity,
  });
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: async (expectedTurn: number) => {
      const ended = sessionSignal();
      const empty: AdvanceProgress = { startedAt: Date.now(), scenarios: [] };
      client.setQueryData(mutationKey, empty);
      try {
        await playTurn({ simulationId, expectedTurn }, (change) => {
          if (ended.aborted) return;
          client.setQueryData<AdvanceProgress>(mutationKey, (known) => change(known ?? empty));
        });
      } catch (error) {
        if (!isConflict(error) && !ended.aborted) throw error;
      }
      if (ended.aborted) return;
      await refreshSimulation(client, simulationId);
      const simulation = client.getQueryData(simulationQuery(simulationId).queryKey);
      notify(describeTurn(simulation?.currentTurn ?? expectedTurn + 1));
    },
    onError: async (error) => {
      const reason = error instanceof ApiError ? REASONS[error.code] : undefined;
      notifyError(new Error(reason ?? `The turn was not played. ${describeError(error)}`));
      await refreshSimulation(client, simulationId);
    },
  });
  return { isRunning, progress, play: mutate };
};

/**
 * Returns whether the simulation has advanced since it was read: by another call, or by an earlier
 * one whose connection was lost.
 */
const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'turn_conflict';

const describeTurn = (turn: number): string => `The simulation is at turn ${turn}`;
