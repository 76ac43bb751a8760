import { setImmediate as turnOver } from 'node:timers/promises';
import type { DebateStep } from '../record/debate-store.ts';

/** Writes the steps of one debate in order; those that wait for a write go together in the next. */
export type BatchWriter = {
  /**
   * Resolves when the steps are kept; rejects as the write that held them. After one that failed
   * nothing more is written: a step would stand without what came before it.
   */
  write: (...steps: DebateStep[]) => Promise<void>;
};

type Waiting = { steps: DebateStep[]; resolve: () => void; reject: (error: unknown) => void };

/** A scribe that writes by `save`, one write at a time. */
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
    // The last answer of a round and the end of that round come in one turn: they are one write.
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
