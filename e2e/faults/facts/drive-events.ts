import { setTimeout as pause } from 'node:timers/promises';
import type { Emitter } from './open-emitter.ts';

/** A fact whose commit was acknowledged. */
export type Emitted = { name: string; committedAt: number };

/** Facts that come at a rate, each with a name of its own. */
export type EventLoad = {
  committed: readonly Emitted[];
  /** Resolves with the next acknowledged commit. */
  whenCommitted: () => Promise<void>;
  /** Emits nothing more, and waits for the last acknowledgement. */
  stop: () => Promise<void>;
};

/** Emits one fact after the other, whatever became of those before. */
export const driveEvents = (
  emitter: Pick<Emitter, 'emit'>,
  { name, everyMs }: { name: string; everyMs: number },
): EventLoad => {
  const committed: Emitted[] = [];
  const waiting: (() => void)[] = [];
  const open = new Set<Promise<void>>();
  let isStopping = false;
  let count = 0;
  const emit = async (): Promise<void> => {
    count += 1;
    const one = `${name} ${count}`;
    if (!(await emitter.emit(one))) return;
    committed.push({ name: one, committedAt: Date.now() });
    for (const wake of waiting.splice(0)) wake();
  };
  const driving = (async () => {
    while (!isStopping) {
      const one = emit();
      open.add(one);
      void one.finally(() => open.delete(one));
      await pause(everyMs);
    }
  })();
  return {
    committed,
    whenCommitted: () => new Promise((resolve) => waiting.push(resolve)),
    stop: async () => {
      isStopping = true;
      await driving;
      await Promise.all(open);
    },
  };
};
