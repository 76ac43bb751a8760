import { CANCELLED_FAILURE } from './record/debate-failure.ts';
import { LeaseLostError } from './record/debate-store.ts';
import type { DebateArchive, DebateStore, TakeOverDebate } from './record/debate-store.ts';
import { noSuchDebate } from './runner/follow-debate.ts';
import { LEASE_MS } from './runner/open-debate-runner.ts';

export type CancelDebateDeps = {
  archive: Pick<DebateArchive, 'findProgress'>;
  store: Pick<DebateStore, 'save'>;
  takeOver: TakeOverDebate;
  leaseMs?: number | undefined;
  /** Called when the end is stored, so that followers in this process read it at once. */
  onStored: (debateId: string) => void;
};

/**
 * Ends a running debate of a conversation as failed with `debate_cancelled`. Calls of its agents
 * that are in flight are aborted when the runner next writes or renews its lease. An ended debate
 * is unchanged. Rejects with NOT_FOUND if there is no such debate.
 */
export const cancelDebate = async (
  workspaceId: string,
  debateId: string,
  { archive, store, takeOver, onStored, leaseMs = LEASE_MS }: CancelDebateDeps,
): Promise<void> => {
  const leased = await takeOver(workspaceId, debateId, leaseMs);
  if (!leased) {
    if (!(await archive.findProgress(workspaceId, debateId))) throw noSuchDebate();
    return;
  }
  try {
    await store.save(leased, [{ kind: 'failed', failure: CANCELLED_FAILURE }]);
    onStored(debateId);
  } catch (error) {
    // Another caller has cancelled the debate in the meantime, or its conversation was deleted.
    if (!(error instanceof LeaseLostError)) throw error;
  }
};
