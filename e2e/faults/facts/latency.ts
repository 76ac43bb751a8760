import type { EmittedEvent } from './drive-events.ts';
import type { Post } from './open-receivers.ts';

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
