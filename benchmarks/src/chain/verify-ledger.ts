import type { Metering } from '../metering.ts';

/** Totals of one workspace's ledger; amounts in tokens. */
export type WorkspaceLedger = {
  workspaceId: string;
  /**
   * `posted`: the account's balance. `held`: tokens of open reservations. Both are 0 if there is no
   * account.
   */
  posted: number;
  held: number;
  credited: number;
  /**
   * Number of usage entries; `used` is the sum of their tokens, `usedBy` the number of calls that
   * have an entry.
   */
  usageEntries: number;
  used: number;
  usedBy: number;
  /** Used tokens that neither reservation nor balance covered. */
  unpaid: number;
  /** Number of open reservations. */
  open: number;
  certificates: number;
  /** Sum of the token usage in all certificates. */
  certified: number;
};

export type LedgerCheck = { workspaces: number; calls: number; tokens: number };

/** Number of calls by workspace id. */
export type ExpectedCalls = ReadonlyMap<string, number>;

/**
 * Verifies the ledger of every workspace after the load: each call has one certificate and one
 * usage entry, the entries sum to the usage in the certificates, the balance equals credits minus
 * charges, and no reservation is open. Throws at the first difference.
 */
export const verifyLedger = (
  ledger: readonly WorkspaceLedger[],
  { calls, metering }: { calls: ExpectedCalls; metering: Metering },
): LedgerCheck => {
  const missing = [...calls.keys()].find(
    (id) => !ledger.some(({ workspaceId }) => workspaceId === id),
  );
  if (missing !== undefined) throw new Error(`${missing} has no ledger entries.`);
  for (const one of ledger)
    verifyWorkspace(one, { calls: calls.get(one.workspaceId) ?? 0, metering });
  return {
    workspaces: ledger.length,
    calls: sum(ledger.map(({ certificates }) => certificates)),
    tokens: sum(ledger.map(({ used }) => used)),
  };
};

const verifyWorkspace = (
  ledger: WorkspaceLedger,
  { calls, metering }: { calls: number; metering: Metering },
): void => {
  const charged = metering === 'metered' ? ledger.used : 0;
  const sums: readonly (readonly [what: string, is: number, shouldBe: number])[] = [
    ['certificates, of calls', ledger.certificates, calls],
    ['entries of usage, of calls', ledger.usageEntries, calls],
    ['calls with an entry, of calls', ledger.usedBy, calls],
    ['tokens entered, of those certified', ledger.used + ledger.unpaid, ledger.certified],
    ['tokens that were not charged', ledger.unpaid, 0],
    ['tokens posted, of credits less charges', ledger.posted, ledger.credited - charged],
    ['tokens held', ledger.held, 0],
    ['open reservations', ledger.open, 0],
  ];
  for (const [what, is, shouldBe] of sums) {
    if (is !== shouldBe) {
      throw new Error(`${ledger.workspaceId}: ${is} ${what}; it must be ${shouldBe}.`);
    }
  }
};

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
