import type { LoggedDelivery } from './backlog.ts';
import type { ReceiverReport } from './receiver.ts';
import { InvalidRow } from './webhook-row.ts';

export type DeliveryCheck = { deliveries: number; signaturesVerified: number };

/**
 * Throws InvalidRow unless exactly the stored deliveries were received, each in one POST with a
 * unique attempt id and delivered at the first attempt, and all sampled signatures are valid.
 */
export const verifyDeliveries = (
  logged: readonly LoggedDelivery[],
  report: Pick<ReceiverReport, 'arrivals' | 'signed' | 'errors'>,
): DeliveryCheck => {
  const { arrivals, signed, errors } = report;
  const came = new Set(arrivals.map(({ delivery }) => delivery));
  const attempts = new Set(arrivals.map(({ attempt }) => attempt));
  const known = new Set(logged.map(({ id }) => id));
  const isDone = ({ state, attempts: made }: LoggedDelivery): boolean =>
    state === 'delivered' && made === 1;
  const counts = {
    'did not come': [...known].filter((id) => !came.has(id)).length,
    'came more than once': arrivals.length - came.size,
    'came and are not in the log': [...came].filter((id) => !known.has(id)).length,
    'had the number of another attempt': arrivals.length - attempts.size,
    'are not delivered at the first attempt in the log': logged.filter((one) => !isDone(one))
      .length,
    'were signed wrongly': errors.length,
  };
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  if (found.length > 0) {
    const list = found.map(([error, count]) => `${count} ${error}`).join(', ');
    throw new InvalidRow(`Of ${known.size} deliveries ${list}. ${errors[0] ?? ''}`.trim());
  }
  if (signed === 0) throw new InvalidRow('No signature was looked at.');
  return { deliveries: known.size, signaturesVerified: signed };
};
