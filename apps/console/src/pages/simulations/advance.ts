import { CONSOLE_HEADERS } from '../../api/api.ts';
import { postEvents } from '../../api/post-events.ts';
import { applyAdvanceEvent } from './advance-progress.ts';
import type { AdvanceProgress } from './advance-progress.ts';

type Turn = { simulationId: string; expectedTurn: number };

/**
 * Plays one turn and reports its progress. Resolves when the turn is stored. A lost connection is
 * opened again; `expectedTurn` makes sure that this cannot play a second turn. Throws ApiError with
 * `turn_conflict` if the simulation is at another turn.
 *
 * A stream that its client leaves does not complete the turn, but a call with an idempotency key
 * does. So if the page is left, such a call is made, which uses the decisions that are there.
 */
export const playTurn = async (
  turn: Turn,
  onProgress: (change: (progress: AdvanceProgress) => AdvanceProgress) => void,
): Promise<void> => {
  const listening = new AbortController();
  addEventListener('pagehide', () => completeAfterLeaving(turn), { signal: listening.signal });
  try {
    const call = { body: bodyOf(turn), signal: listening.signal, last: 'done' };
    for await (const { event, content } of postEvents(pathOf(turn), call)) {
      onProgress((progress) => applyAdvanceEvent(progress, event, content));
    }
  } finally {
    listening.abort();
  }
};

const pathOf = ({ simulationId }: Turn): string =>
  `/v1/sim-engine/simulations/${encodeURIComponent(simulationId)}/advance`;

const bodyOf = ({ expectedTurn }: Turn) => ({ expectedTurn });

const completeAfterLeaving = (turn: Turn): void => {
  void fetch(pathOf(turn), {
    method: 'POST',
    keepalive: true,
    headers: {
      ...CONSOLE_HEADERS,
      'content-type': 'application/json',
      'idempotency-key': `console-${turn.simulationId}-${turn.expectedTurn}-${Date.now()}`,
    },
    body: JSON.stringify(bodyOf(turn)),
  });
};
