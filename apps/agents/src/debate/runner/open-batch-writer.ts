import { setImmediate as nextImmediate } from 'node:timers/promises';
import type { DebateStep } from '../record/debate-store.ts';

/**
 * Writes the steps of one debate in order. All steps that arrive during a write are stored together
 * by the next write.
 */
export type BatchWriter = {
  /**
   * Resolves when the steps are stored. After a failed write all later writes reject, because a
   * step must not be stored if an earlier one is missing.
   */
  write: (...steps: DebateStep[]) => Promise<void>;
};

type PendingWrite = { steps: DebateStep[]; resolve: () => void; reject: (error: unknown) => void };

export const openBatchWriter = (
  save: (steps: readonly DebateStep[]) => Promise<unknown>,
): BatchWriter => {
  let pending: PendingWrite[] = [];
  let isWriting = false;
  let failure: { error: unknown } | undefined;
  const writeBatch = async (batch: readonly PendingWrite[]): Promise<void> => {
    try {
      if (failure) throw failure.error;
      await save(batch.flatMap(({ steps }) => steps));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      failure = { error };
      for (const { reject } of batch) reject(error);
    }
  };
  const writePending = async (): Promise<void> => {
    isWriting = true;
    // Waits for the end of the tick, so that the last answer and the end of its round, which arrive
    // in the same tick, are stored by one write.
    await nextImmediate();
    while (pending.length > 0) {
      const batch = pending;
      pending = [];
      await writeBatch(batch);
    }
    isWriting = false;
  };
  return {
    write: (...steps) =>
      new Promise((resolve, reject) => {
        pending.push({ steps, resolve, reject });
        if (!isWriting) void writePending();
      }),
  };
};
