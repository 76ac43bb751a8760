import { setTimeout as pause } from 'node:timers/promises';
import type { Emitter } from './open-emitter.ts';
import type { Post } from './open-receivers.ts';

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

/**
 * Time from the acknowledged commit of an event to the first POST of a delivery, in milliseconds.
 */
export type Latency = { p50: number; p95: number; max: number };

/**
 * Returns quantiles of the latency over all deliveries of the committed events; zeros if there are
 * none.
 */
export const summarizeLatency = (
  committed: readonly EmittedEvent[],
  posts: readonly Post[],
): Latency => {
  const at = new Map(committed.map(({ name, committedAt }) => [name, committedAt]));
  const first = new Map<string, number>();
  for (const { deliveryId, name, arrivedAt } of posts) {
    const since = at.get(name);
    if (since !== undefined && !first.has(deliveryId)) {
      // The POST may arrive before the acknowledgement, which would give a negative latency.
      first.set(deliveryId, Math.max(0, arrivedAt - since));
    }
  }
  const sorted = [...first.values()].toSorted((a, b) => a - b);
  const quantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: quantile(0.5), p95: quantile(0.95), max: sorted.at(-1) ?? 0 };
};
