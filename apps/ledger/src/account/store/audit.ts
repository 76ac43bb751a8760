import { everyWorkspace, limitSilence } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';

/**
 * Number of workspaces that violate each invariant of the ledger. All must be 0 at any time, even
 * after a crash.
 */
export type AuditViolations = {
  balance: number;
  held: number;
  /**
   * Workspaces in which the number of settled reservations differs from that of certificates, or a
   * `settled_as` names no settled reservation.
   */
  settled: number;
  usage: number;
  /** Workspaces in which the usage in certificates differs from the charged and unpaid tokens. */
  certified: number;
};

/**
 * Statement timeout of the audit. While its snapshot is open, VACUUM cannot remove row versions
 * that were replaced or deleted since.
 */
const AUDIT_TIMEOUT_MS = 60_000;
/** Leaves 5 s for the result to arrive. */
const SILENCE_MAX_MS = AUDIT_TIMEOUT_MS + 5_000;

/**
 * Counts the workspaces that violate each invariant, in one snapshot. Resolves with undefined while
 * another replica runs the audit.
 */
export const findAuditViolations = (database: Database): Promise<AuditViolations | undefined> =>
  database.scopedClient(everyWorkspace, async (client) => {
    const locks = await client.query<{ is_mine: boolean }>(
      "SELECT pg_try_advisory_xact_lock(hashtext('ledger audit')) AS is_mine",
    );
    if (!locks.rows[0]!.is_mine) return undefined;
    await client.query(`SET LOCAL statement_timeout = ${AUDIT_TIMEOUT_MS}`);
    limitSilence(client, SILENCE_MAX_MS);
    const { rows } = await client.query<Record<keyof AuditViolations, string>>(FIND_VIOLATIONS);
    const entries = Object.entries(rows[0]!).map(([name, count]) => [name, Number(count)]);
    return Object.fromEntries(entries) as AuditViolations;
  });

const FIND_VIOLATIONS = `
WITH totals AS (
  SELECT workspace_id,
         coalesce(sum(amount) FILTER (WHERE target = 'account'), 0)
           - coalesce(sum(amount) FILTER (WHERE source = 'account'), 0) AS balance,
         coalesce(sum(amount) FILTER (WHERE target = 'usage'), 0) AS used
  FROM entry GROUP BY workspace_id),
call AS (
  SELECT workspace_id,
         coalesce(sum(amount) FILTER (WHERE state = 'held'), 0) AS held,
         coalesce(sum(actual), 0) AS actual,
         coalesce(sum(unpaid), 0) AS unpaid,
         count(*) FILTER (WHERE state = 'settled') AS settled
  FROM reservation GROUP BY workspace_id),
-- Reservations whose settled_as names no settled reservation.
astray AS (
  SELECT own.workspace_id, count(*) AS astray
  FROM reservation AS own
  LEFT JOIN reservation AS heir ON heir.id = own.settled_as
    AND heir.workspace_id = own.workspace_id AND heir.state = 'settled'
  WHERE own.settled_as IS NOT NULL AND heir.id IS NULL
  GROUP BY own.workspace_id),
proof AS (
  SELECT c.workspace_id, count(*) AS certificates,
         -- Versions before token accounts settled calls without an actual; those are not counted.
         sum(substring(c.payload FROM '"totalTokens":([0-9]+)')::bigint)
           FILTER (WHERE r.actual IS NOT NULL) AS tokens
  FROM certificate AS c LEFT JOIN reservation AS r ON r.id = c.id
  GROUP BY c.workspace_id),
total AS (
  SELECT coalesce(account.posted, 0) AS posted, coalesce(account.held, 0) AS account_held,
         coalesce(totals.balance, 0) AS balance, coalesce(totals.used, 0) AS used,
         coalesce(call.held, 0) AS held, coalesce(call.actual, 0) AS actual,
         coalesce(call.unpaid, 0) AS unpaid, coalesce(call.settled, 0) AS settled,
         coalesce(proof.certificates, 0) AS certificates, coalesce(proof.tokens, 0) AS tokens,
         coalesce(astray.astray, 0) AS astray
  FROM account
  FULL JOIN totals USING (workspace_id)
  FULL JOIN call USING (workspace_id)
  FULL JOIN proof USING (workspace_id)
  FULL JOIN astray USING (workspace_id))
SELECT count(*) FILTER (WHERE posted <> balance) AS "balance",
       count(*) FILTER (WHERE account_held <> held) AS "held",
       count(*) FILTER (WHERE settled <> certificates OR astray > 0) AS "settled",
       count(*) FILTER (WHERE used <> actual) AS "usage",
       count(*) FILTER (WHERE tokens <> actual + unpaid) AS "certified"
FROM total`;

/** Totals of the ledger over all workspaces; `heightMax` is the length of the longest chain. */
export type LedgerState = {
  chains: number;
  heightMax: number;
  certificates: number;
  /** Number of open reservations; `overdue` is the number of those that have expired. */
  held: number;
  overdue: number;
};

export const readLedgerState = (database: Database): Promise<LedgerState> =>
  database.scoped(everyWorkspace, async (em) => {
    const [row] = await em.execute<Record<keyof LedgerState, string>[]>(READ_STATE);
    const entries = Object.entries(row!).map(([name, count]) => [name, Number(count)]);
    return Object.fromEntries(entries) as LedgerState;
  });

const READ_STATE = `
SELECT chain.*, reserved.* FROM (
  SELECT count(*) FILTER (WHERE chain_index >= 0) AS "chains",
         coalesce(max(chain_index) + 1, 0) AS "heightMax",
         coalesce(sum(chain_index + 1), 0) AS "certificates"
  FROM chain_head) AS chain,
(SELECT count(*) AS "held", count(*) FILTER (WHERE expires_at < now()) AS "overdue"
  FROM reservation WHERE state = 'held') AS reserved`;
