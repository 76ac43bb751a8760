import type { StoredDelivery } from './backlog.ts';
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
