import type { StoredDelivery } from './backlog.ts';
import type { EmittedEvent } from './emitter.ts';
import type { ReceiverReport } from './receiver.ts';
import { InvalidRow } from './webhook-row.ts';

export type DeliveryCheck = { deliveries: number; signaturesVerified: number };

/**
 * Throws InvalidRow unless the received deliveries are exactly the stored ones, each was received
 * in one POST with a unique attempt id and is stored as delivered at the first attempt, and all
 * sampled signatures are valid.
 */
export const verifyDeliveries = (
  storedDeliveries: readonly StoredDelivery[],
  report: Pick<ReceiverReport, 'arrivals' | 'verifiedSamples' | 'errors'>,
): DeliveryCheck => {
  const { arrivals, verifiedSamples, errors } = report;
  const arrived = new Set(arrivals.map(({ delivery }) => delivery));
  const attempts = new Set(arrivals.map(({ attempt }) => attempt));
  const storedIds = new Set(storedDeliveries.map(({ id }) => id));
  const isDeliveredOnce = ({ state, attempts: made }: StoredDelivery): boolean =>
    state === 'delivered' && made === 1;
  const counts = {
    'were not received': [...storedIds].filter((id) => !arrived.has(id)).length,
    'were received more than once': arrivals.length - arrived.size,
    'were received and are not stored': [...arrived].filter((id) => !storedIds.has(id)).length,
    'had the number of another attempt': arrivals.length - attempts.size,
    'are not delivered at the first attempt in the log': storedDeliveries.filter(
      (one) => !isDeliveredOnce(one),
    ).length,
    'were signed wrongly': errors.length,
  };
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  if (found.length > 0) {
    const list = found.map(([error, count]) => `${count} ${error}`).join(', ');
    throw new InvalidRow(`Of ${storedIds.size} deliveries ${list}. ${errors[0] ?? ''}`.trim());
  }
  if (verifiedSamples === 0) throw new InvalidRow('No signature was verified.');
  return { deliveries: storedIds.size, signaturesVerified: verifiedSamples };
};

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

/** Returns the number of delivery attempts by outcome, from the notifier's metrics. */
export const readOutcomes = async (adminUrl: string): Promise<Record<string, number>> => {
  const answer = await fetch(`${adminUrl}/metrics`);
  return parseOutcomes(await answer.text());
};

const OUTCOME = /^notifier_attempts_total\{outcome="(\w+)"\} (\d+)$/gm;

export const parseOutcomes = (registry: string): Record<string, number> =>
  Object.fromEntries(
    [...registry.matchAll(OUTCOME)].map(([, name, count]) => [name, Number(count)]),
  );
