import type { DebateStep } from '../record/debate-store.ts';

/** Writes the steps of one debate in order; those that wait for a write go together in the next. */
export type Scribe = {
  /** Resolves when the steps are kept; rejects as the write that held them. */
  write: (...steps: DebateStep[]) => Promise<void>;
};

type Waiting = { steps: DebateStep[]; resolve: () => void; reject: (error: unknown) => void };

/** A scribe that writes by `save`, one write at a time. */
export const openScribe = (save: (steps: readonly DebateStep[]) => Promise<unknown>): Scribe => {
  let waiting: Waiting[] = [];
  let isWriting = false;
  const writeWaiting = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await save(batch.flatMap(({ steps }) => steps));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
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
