import { withConnection } from '../database.ts';
import type { WorkspaceLedger } from './verify-ledger.ts';

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
