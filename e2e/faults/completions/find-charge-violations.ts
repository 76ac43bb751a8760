import type { Certificate } from '@witan/proof';
import type { LedgerReservation, LedgerEntry, Ledger } from './read-ledger.ts';

export type Charges = { charged: number; overrun: number; unpaid: number; entries: number };

/**
 * Compares the chain with the ledger once no call is in flight. Each certificate with usage has
 * exactly its entries, every charge has a certificate, usage equals what was charged plus what
 * could not be paid, and the balance is credits minus charges.
 */
export const findChargeViolations = (
  certificates: readonly Certificate[],
  ledger: Ledger,
): { violations: string[]; charges: Charges } => {
  const { entries, calls, posted, held } = ledger;
  const credited = sumOf(entries.filter(({ kind }) => kind === 'credit'));
  const usage = entries.filter(({ certificateId }) => certificateId !== null);
  const byCertificate = Map.groupBy(usage, ({ certificateId }) => certificateId);
  const callById = new Map(calls.map((call) => [call.id, call]));
  const known = new Set(certificates.map(({ payload }) => payload.id));
  const charges = {
    charged: sumOf(usage),
    overrun: sumOf(usage.filter(({ kind }) => kind === 'overrun')),
    unpaid: calls.reduce((sum, { unpaid }) => sum + (unpaid ?? 0), 0),
    entries: usage.length,
  };
  const certified = certificates.reduce((sum, one) => sum + tokensOf(one), 0);
  return {
    violations: [
      ...certificates.flatMap((one) =>
        judgeCharge(one, byCertificate.get(one.payload.id) ?? [], callById.get(one.payload.id)),
      ),
      ...[...byCertificate.keys()]
        .filter((id) => !known.has(id!))
        .map((id) => `${id}: charged without a certificate`),
      ...(usage.some(({ source }) => source !== 'account') ? ['usage that no account paid'] : []),
      ...judgeSum('Σ entries and unpaid', charges.charged + charges.unpaid, certified),
      ...judgeSum('posted', posted, credited - charges.charged),
      ...judgeSum('held', held, 0),
    ],
    charges,
  };
};

/** Checks that a call has one entry for the reservation, and at most one for the overrun. */
const judgeCharge = (
  certificate: Certificate,
  entries: readonly LedgerEntry[],
  call: LedgerReservation | undefined,
): string[] => {
  const { id } = certificate.payload;
  const tokens = tokensOf(certificate);
  const count = (kind: string): number => entries.filter((entry) => entry.kind === kind).length;
  const isOnce = count('usage') === (tokens > 0 ? 1 : 0) && count('overrun') <= 1;
  const charged = sumOf(entries);
  const isRight = call?.actual === charged && charged + (call.unpaid ?? 0) === tokens;
  return [
    ...(isOnce ? [] : [`${id}: ${entries.length} entries for ${tokens} tokens`]),
    ...(isRight ? [] : [`${id}: ${tokens} tokens certified, ${charged} charged`]),
    ...(call?.state === 'settled' ? [] : [`${id}: its reservation is ${call?.state ?? 'gone'}`]),
  ];
};

const tokensOf = ({ payload }: Certificate): number => payload.response.usage.totalTokens;

const sumOf = (entries: readonly LedgerEntry[]): number =>
  entries.reduce((sum, { amount }) => sum + amount, 0);

const judgeSum = (name: string, is: number, shouldBe: number): string[] =>
  is === shouldBe ? [] : [`${name}: ${is}, not ${shouldBe}`];
