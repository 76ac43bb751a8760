import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';

/** What operators watch of the log. */
export type LogState = {
  /** Age of the oldest certificate that is not in a published epoch; 0 if there is none. */
  lagSeconds: number;
  publishedSize: number;
  /** Reason why the log is halted. */
  halted: string | undefined;
  /** Time since each witness last cosigned; absent for one that never did. */
  witnesses: { name: string; ageSeconds: number }[];
};

/**
 * Of at most 1,000 workspaces the time of the first certificate that is in no epoch, and the time
 * of the first epoch that is not published.
 */
const READ_STATE = `
  WITH behind AS (
    SELECT head.workspace_id, coalesce(tree.size, 0) AS next
    FROM chain_head AS head LEFT JOIN tree USING (workspace_id)
    WHERE head.chain_index + 1 > coalesce(tree.size, 0)
      AND (tree.workspace_id IS NULL OR tree.secret IS NOT NULL)
    LIMIT 1000),
  oldest AS (
    SELECT min(left(split_part(payload, '"issuedAt":"', 2), 24)::timestamptz) AS at
    FROM behind JOIN certificate
      ON certificate.workspace_id = behind.workspace_id AND chain_index = behind.next)
  SELECT coalesce((SELECT size FROM published), 0) AS published, log_state.halted,
    greatest(0, extract(epoch FROM clock_timestamp() - least(
      (SELECT at FROM oldest),
      (SELECT at FROM epoch WHERE n = coalesce((SELECT size FROM published), 0)))))::float8 AS lag
  FROM log_state`;

type StateRow = { published: string; halted: string | null; lag: number | null };

export const readLogState = (database: Database): Promise<LogState> =>
  database.scopedClient(everyWorkspace, async (client) => {
    const { rows } = await client.query<StateRow>(READ_STATE);
    const { published, halted, lag } = rows[0]!;
    const witnesses = await client.query<{ name: string; age: number }>(
      `SELECT name, extract(epoch FROM clock_timestamp() - at)::float8 AS age FROM witness
       WHERE at IS NOT NULL`,
    );
    return {
      lagSeconds: lag ?? 0,
      publishedSize: Number(published),
      halted: halted ?? undefined,
      witnesses: witnesses.rows.map(({ name, age }) => ({ name, ageSeconds: age })),
    };
  });
