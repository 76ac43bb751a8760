import type { Certificate } from '@witan/proof';
import type { LedgerReservation, LedgerEntry, Ledger } from './read-ledger.ts';

export type Charges = { charged: number; overrun: number; unpaid: number; entries: number };

/**
 * Compares the certificates with the ledger once no call is in flight. Returns the charged totals,
 * and a violation for each broken rule, such as: every certificate with usage has ledger entries,
 * and every usage entry a certificate; certified tokens equal charged plus unpaid tokens; the
 * balance equals credits minus charges; no tokens are held.
 */
export const findChargeViolations = (
  certificates: readonly Certificate[],
  ledger: Ledger,
): { violations: string[]; charges: Charges } => {
  const { entries, reservations, posted, held } = ledger;
  const credited = sumOf(entries.filter(({ kind }) => kind === 'credit'));
  const usage = entries.filter(({ certificateId }) => certificateId !== null);
  const byCertificate = Map.groupBy(usage, ({ certificateId }) => certificateId);
  const reservationById = new Map(reservations.map((reservation) => [reservation.id, reservation]));
  const known = new Set(certificates.map(({ payload }) => payload.id));
  const charges = {
    charged: sumOf(usage),
    overrun: sumOf(usage.filter(({ kind }) => kind === 'overrun')),
    unpaid: reservations.reduce((sum, { unpaid }) => sum + (unpaid ?? 0), 0),
    entries: usage.length,
  };
  const certified = certificates.reduce((sum, one) => sum + tokensOf(one), 0);
  return {
    violations: [
      ...certificates.flatMap((one) =>
        judgeCharge(
          one,
          byCertificate.get(one.payload.id) ?? [],
          reservationById.get(one.payload.id),
        ),
      ),
      ...[...byCertificate.keys()]
        .filter((id) => !known.has(id!))
        .map((id) => `${id}: charged without a certificate`),
      ...(usage.some(({ source }) => source !== 'account')
        ? ['usage that was not charged to an account']
        : []),
      ...judgeSum('Σ entries and unpaid', charges.charged + charges.unpaid, certified),
      ...judgeSum('posted', posted, credited - charges.charged),
      ...judgeSum('held', held, 0),
    ],
    charges,
  };
};

/**
 * Returns violations unless the call has exactly one `usage` entry (none if it used no tokens), at
 * most one `overrun` entry, a settled reservation, and charges that match the certified tokens.
 */
const judgeCharge = (
  certificate: Certificate,
  entries: readonly LedgerEntry[],
  reservation: LedgerReservation | undefined,
): string[] => {
  const { id } = certificate.payload;
  const tokens = tokensOf(certificate);
  const count = (kind: string): number => entries.filter((entry) => entry.kind === kind).length;
  const isChargedOnce = count('usage') === (tokens > 0 ? 1 : 0) && count('overrun') <= 1;
  const charged = sumOf(entries);
  const isChargeRight =
    reservation?.actual === charged && charged + (reservation.unpaid ?? 0) === tokens;
  return [
    ...(isChargedOnce ? [] : [`${id}: ${entries.length} entries for ${tokens} tokens`]),
    ...(isChargeRight ? [] : [`${id}: ${tokens} tokens certified, ${charged} charged`]),
    ...(reservation?.state === 'settled'
      ? []
      : [`${id}: its reservation is ${reservation?.state ?? 'missing'}`]),
  ];
};

const tokensOf = ({ payload }: Certificate): number => payload.response.usage.totalTokens;

const sumOf = (entries: readonly LedgerEntry[]): number =>
  entries.reduce((sum, { amount }) => sum + amount, 0);

const judgeSum = (name: string, value: number, expected: number): string[] =>
  value === expected ? [] : [`${name}: ${value}, not ${expected}`];
