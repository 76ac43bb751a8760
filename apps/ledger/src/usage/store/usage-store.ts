import { invalidRequest } from '@witan/contracts';
import { everyWorkspace, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { UsageRollUp } from '../roll-up-usage.ts';
import { DIMENSIONS } from '../usage.ts';
import type { Dimension, UsageReader, UsageRow } from '../usage.ts';

const GROUPS_MAX = 50_000;

const SUMS = [
  'calls',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'cached_tokens',
  'cache_write_tokens',
] as const;

/**
 * Returns the SQL that sums up a workspace's certificates between two indexes as `usage_day` does.
 * OFFSET 0 prevents that the payload is parsed again for each member. jsonb rejects the character
 * NUL, which a model name can contain.
 */
const sumCertificates = (after: string, until: string): string => `
  SELECT left(p.payload ->> 'issuedAt', 10)::date AS day, coalesce(p.api_key_id, '') AS api_key_id,
    coalesce(p.payload #>> '{address,agent}', '') AS agent,
    p.payload #>> '{egress,model}' AS model, p.payload #>> '{egress,provider}' AS provider,
    count(*) AS calls,
    sum((p.payload #>> '{response,usage,promptTokens}')::bigint) AS prompt_tokens,
    sum((p.payload #>> '{response,usage,completionTokens}')::bigint) AS completion_tokens,
    sum((p.payload #>> '{response,usage,totalTokens}')::bigint) AS total_tokens,
    coalesce(sum(p.cached_tokens), 0) AS cached_tokens,
    coalesce(sum(p.cache_write_tokens), 0) AS cache_write_tokens
  FROM (SELECT replace(payload, '\\u0000', '\\ufffd')::jsonb AS payload, api_key_id, cached_tokens,
          cache_write_tokens
        FROM certificate
        WHERE workspace_id = $1 AND chain_index > ${after} AND chain_index <= ${until} OFFSET 0) AS p
  GROUP BY 1, 2, 3, 4, 5`;

const COLUMNS: Readonly<Record<Dimension, string>> = {
  day: 'day',
  key: 'api_key_id',
  agent: 'agent',
  model: 'model',
  provider: 'provider',
};

/** Sums of days and of the certificates after the watermark, in one snapshot. */
const readSql = (groupBy: readonly Dimension[]): string => {
  const isGrouped = (name: Dimension): boolean =>
    groupBy.includes(name) || name === 'model' || name === 'provider';
  const columns = DIMENSIONS.map(
    (name) => `${isGrouped(name) ? `${COLUMNS[name]}::text` : `''`} AS "${name}"`,
  );
  const watermark = `(SELECT coalesce(max(chain_index), -1) FROM usage_watermark
    WHERE workspace_id = $1)`;
  const head = '(SELECT max(chain_index) FROM chain_head WHERE workspace_id = $1)';
  return `
    SELECT ${columns.join(', ')}, ${SUMS.map((name) => `sum(${name})::text AS ${name}`).join(', ')}
    FROM (SELECT day, api_key_id, agent, model, provider, ${SUMS.join(', ')} FROM usage_day
          WHERE workspace_id = $1
          UNION ALL ${sumCertificates(watermark, head)}) AS usage
    WHERE day BETWEEN $2::date AND $3::date
    GROUP BY 1, 2, 3, 4, 5 LIMIT ${GROUPS_MAX + 1}`;
};

const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

type ReadRow = Record<Dimension, string> & Record<(typeof SUMS)[number], string>;

export const createUsageReader = (database: Database): UsageReader => ({
  read: (workspaceId, { from, to, groupBy }) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const values = [workspaceId, from || FIRST_DAY, to || LAST_DAY];
      const { rows } = await client.query<ReadRow>(readSql(groupBy), values);
      if (rows.length > GROUPS_MAX) {
        throw invalidRequest(`There are more than ${GROUPS_MAX} groups; ask for fewer days.`);
      }
      return rows.map(toUsageRow);
    }),
});

const toUsageRow = ({ day, key, agent, model, provider, ...sums }: ReadRow): UsageRow => ({
  ...{ day, key, agent, model, provider },
  calls: BigInt(sums.calls),
  promptTokens: BigInt(sums.prompt_tokens),
  completionTokens: BigInt(sums.completion_tokens),
  totalTokens: BigInt(sums.total_tokens),
  cachedTokens: BigInt(sums.cached_tokens),
  cacheWriteTokens: BigInt(sums.cache_write_tokens),
});

const FIND_BEHIND = `
  SELECT head.workspace_id AS id FROM chain_head AS head
  LEFT JOIN usage_watermark AS mark ON mark.workspace_id = head.workspace_id
  WHERE head.chain_index > coalesce(mark.chain_index, -1) LIMIT $1`;

/** Locks a watermark, or returns no row if another replica has locked it. */
const LOCK_WATERMARK = `
  SELECT mark.chain_index AS after, head.chain_index AS head
  FROM usage_watermark AS mark JOIN chain_head AS head USING (workspace_id)
  WHERE mark.workspace_id = $1 FOR UPDATE OF mark SKIP LOCKED`;

const ADD_SUMS = `
  INSERT INTO usage_day AS sums
    (workspace_id, day, api_key_id, agent, model, provider, ${SUMS.join(', ')})
  SELECT $1, added.* FROM (${sumCertificates('$2', '$3')}) AS added
  ON CONFLICT (workspace_id, day, api_key_id, agent, model, provider) DO UPDATE
  SET ${SUMS.map((name) => `${name} = sums.${name} + excluded.${name}`).join(', ')}`;

export const createUsageRollUp = (database: Database): UsageRollUp => ({
  findBehind: (limit) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const { rows } = await client.query<{ id: string }>(FIND_BEHIND, [limit]);
      return rows.map(({ id }) => id);
    }),
  rollUp: (workspaceId, limit) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      await client.query(
        `INSERT INTO usage_watermark VALUES ($1, -1) ON CONFLICT (workspace_id) DO NOTHING`,
        [workspaceId],
      );
      const { rows } = await client.query<{ after: string; head: string }>(LOCK_WATERMARK, [
        workspaceId,
      ]);
      const [after, head] = [Number(rows[0]?.after ?? 0), Number(rows[0]?.head ?? 0)];
      const until = Math.min(head, after + limit);
      if (until <= after) return 0;
      await client.query(ADD_SUMS, [workspaceId, after, until]);
      await client.query('UPDATE usage_watermark SET chain_index = $2 WHERE workspace_id = $1', [
        workspaceId,
        until,
      ]);
      return until - after;
    }),
});
