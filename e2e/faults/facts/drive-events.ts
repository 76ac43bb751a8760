import { setTimeout as pause } from 'node:timers/promises';
import type { Emitter } from './open-emitter.ts';

/**
 * An event whose commit the emitter acknowledged at `committedAt`, in milliseconds since the epoch.
 */
export type EmittedEvent = { name: string; committedAt: number };

/** A load that emits uniquely named events at a fixed rate. */
export type EventLoad = {
  committed: readonly EmittedEvent[];
  whenCommitted: () => Promise<void>;
  /** Stops emitting and waits for outstanding acknowledgements. */
  stop: () => Promise<void>;
};

/**
 * Emits an event every `everyMs` milliseconds without waiting for the previous one; failures do not
 * stop the load.
 */
export const driveEvents = (
  emitter: Pick<Emitter, 'emit'>,
  { name, everyMs }: { name: string; everyMs: number },
): EventLoad => {
  const committed: EmittedEvent[] = [];
  const waiting: (() => void)[] = [];
  const openEmissions = new Set<Promise<void>>();
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
      openEmissions.add(one);
      void one.finally(() => openEmissions.delete(one));
      await pause(everyMs);
    }
  })();
  return {
    committed,
    whenCommitted: () => new Promise((resolve) => waiting.push(resolve)),
    stop: async () => {
      isStopping = true;
      await driving;
      await Promise.all(openEmissions);
    },
  };
};
