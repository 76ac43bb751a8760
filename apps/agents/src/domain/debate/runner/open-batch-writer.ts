import { setImmediate as turnOver } from 'node:timers/promises';
import type { DebateStep } from '../record/debate-store.ts';

/** Writes the steps of one debate in order; steps that arrive during a write share the next one. */
export type BatchWriter = {
  /**
   * Resolves when the steps are stored. After a failed write all later ones reject, because a step
   * must not be stored without its predecessors.
   */
  write: (...steps: DebateStep[]) => Promise<void>;
};

type Waiting = { steps: DebateStep[]; resolve: () => void; reject: (error: unknown) => void };

/** Creates a writer that calls `save` once at a time. */
export const openBatchWriter = (
  save: (steps: readonly DebateStep[]) => Promise<unknown>,
): BatchWriter => {
  let waiting: Waiting[] = [];
  let isWriting = false;
  let failure: { error: unknown } | undefined;
  const writeBatch = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      if (failure) throw failure.error;
      await save(batch.flatMap(({ steps }) => steps));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      failure = { error };
      for (const { reject } of batch) reject(error);
    }
  };
  const writeWaiting = async (): Promise<void> => {
    isWriting = true;
    // The last answer and the end of a round arrive in the same tick and share one write.
    await turnOver();
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await writeBatch(batch);
    }
    isWriting = false;
  };
  return {
    write: (...steps) =>
      new Promise((resolve, reject) => {
        waiting.push({ steps, resolve, reject });
        if (!isWriting) void writeWaiting();
      }),
  };
};
