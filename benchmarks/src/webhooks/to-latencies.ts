import type { StoredDelivery } from './backlog.ts';
import type { EmittedEvent } from './emitter.ts';
import type { ReceiverReport } from './receiver.ts';

/**
 * Returns the milliseconds from each event's commit to its POST. The event of a POST is found by
 * the notifier's delivery.
 */
export const toLatencies = (
  events: readonly EmittedEvent[],
  storedDeliveries: readonly StoredDelivery[],
  { arrivals }: Pick<ReceiverReport, 'arrivals'>,
): number[] => {
  const deliveryOf = new Map(storedDeliveries.map(({ id, eventId }) => [eventId, id]));
  const atMsOf = new Map(arrivals.map(({ delivery, atMs }) => [delivery, atMs]));
  return events.map(({ id, committedAtMs }) => {
    const atMs = atMsOf.get(deliveryOf.get(id) ?? '');
    if (atMs === undefined) throw new Error(`Event ${id} has no POST.`);
    return atMs - committedAtMs;
  });
};
