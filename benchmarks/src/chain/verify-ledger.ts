import { withConnection } from '../database.ts';
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

/** Returns the ledger totals of every workspace, read in one snapshot with the admin's role. */
export const readLedger = (adminUrl: string): Promise<WorkspaceLedger[]> =>
  withConnection(adminUrl, async (client) => {
    const { rows } = await client.query<Record<keyof WorkspaceLedger, string>>(SUMS);
    return rows.map(({ workspaceId, ...amounts }) => {
      const numbers = Object.entries(amounts).map(([name, value]) => [name, Number(value)]);
      return { workspaceId, ...Object.fromEntries(numbers) } as WorkspaceLedger;
    });
  });

const SUMS = `
WITH book AS (
  SELECT workspace_id,
         sum(amount) FILTER (WHERE kind = 'credit') AS credited,
         count(*) FILTER (WHERE target = 'usage') AS usage_entries,
         sum(amount) FILTER (WHERE target = 'usage') AS used,
         count(DISTINCT certificate_id) AS used_by
  FROM ledger.entry GROUP BY workspace_id),
call AS (
  SELECT workspace_id, sum(unpaid) AS unpaid, count(*) FILTER (WHERE state = 'held') AS open
  FROM ledger.reservation GROUP BY workspace_id),
proof AS (
  SELECT workspace_id, count(*) AS certificates,
         sum((payload::jsonb #>> '{response,usage,totalTokens}')::bigint) AS certified
  FROM ledger.certificate GROUP BY workspace_id)
SELECT workspace_id AS "workspaceId",
       coalesce(posted, 0) AS "posted", coalesce(held, 0) AS "held",
       coalesce(credited, 0) AS "credited", coalesce(usage_entries, 0) AS "usageEntries",
       coalesce(used, 0) AS "used", coalesce(used_by, 0) AS "usedBy",
       coalesce(unpaid, 0) AS "unpaid", coalesce(open, 0) AS "open",
       coalesce(certificates, 0) AS "certificates", coalesce(certified, 0) AS "certified"
FROM ledger.account
FULL JOIN book USING (workspace_id)
FULL JOIN call USING (workspace_id)
FULL JOIN proof USING (workspace_id)`;
