import type { LoggedDelivery } from './backlog.ts';
import type { Emitted } from './emitter.ts';
import type { ReceiverReport } from './receiver.ts';

/**
 * Returns the milliseconds from each commit to its POST. The notifier's deliveries relate events to
 * POSTs.
 */
export const toLatencies = (
  events: readonly Emitted[],
  logged: readonly LoggedDelivery[],
  { arrivals }: Pick<ReceiverReport, 'arrivals'>,
): number[] => {
  const deliveryOf = new Map(logged.map(({ id, eventId }) => [eventId, id]));
  const atMsOf = new Map(arrivals.map(({ delivery, atMs }) => [delivery, atMs]));
  return events.map(({ id, committedAtMs }) => {
    const atMs = atMsOf.get(deliveryOf.get(id) ?? '');
    if (atMs === undefined) throw new Error(`Fact ${id} did not come.`);
    return atMs - committedAtMs;
  });
};
