import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { CallReader, StoredCall } from '../call.ts';

export const createCallStore = (database: Database): CallReader => ({
  headIndex: (workspaceId) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const { rows } = await client.query<{ index: string }>(
        'SELECT chain_index AS index FROM chain_head WHERE workspace_id = $1',
        [workspaceId],
      );
      return Number(rows[0]?.index ?? -1);
    }),
  findFrom: (workspaceId, index) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const { rows } = await client.query<{ payload: string }>(
        `SELECT payload FROM certificate WHERE workspace_id = $1 AND chain_index >= $2
         ORDER BY chain_index LIMIT 1`,
        [workspaceId, index],
      );
      return rows[0];
    }),
  findIn: (workspaceId, { lowest, highest, conditions, newestFirst, limit }) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const { apiKeyId, fragments } = conditions;
      const { rows } = await client.query<CallRow>(
        `SELECT ${COLUMNS} FROM certificate
         WHERE workspace_id = $1 AND chain_index BETWEEN $2 AND $3
           ${apiKeyId === '' ? '' : 'AND api_key_id = $5'}
           ${fragments.map((_, n) => `AND strpos(payload, $${n + (apiKeyId ? 6 : 5)}) > 0`).join(' ')}
         ORDER BY chain_index ${newestFirst ? 'DESC' : 'ASC'} LIMIT $4`,
        [workspaceId, lowest, highest, limit, ...(apiKeyId === '' ? [] : [apiKeyId]), ...fragments],
      );
      return rows.map(toStoredCall);
    }),
  findIds: (workspaceId, ids) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      if (ids.length === 0) return new Set<string>();
      const sql = 'SELECT id FROM certificate WHERE id = ANY ($1)';
      const { rows } = await client.query<{ id: string }>(sql, [ids]);
      return new Set(rows.map(({ id }) => id));
    }),
});

const COLUMNS = `id, workspace_id AS "workspaceId", chain_index AS "chainIndex", payload,
  payload_hash AS "payloadHash", signature, key_id AS "keyId", api_key_id AS "apiKeyId",
  duration_ms AS "durationMs", cached_tokens AS "cachedTokens",
  cache_write_tokens AS "cacheWriteTokens"`;

const NUMBERS = ['chainIndex', 'durationMs', 'cachedTokens', 'cacheWriteTokens'] as const;

type CallRow = Omit<StoredCall, (typeof NUMBERS)[number]> &
  Record<(typeof NUMBERS)[number], string | null>;

/** `pg` returns 64-bit integers as text. */
const toStoredCall = (row: CallRow): StoredCall => ({
  ...row,
  chainIndex: Number(row.chainIndex),
  durationMs: toNumber(row.durationMs),
  cachedTokens: toNumber(row.cachedTokens),
  cacheWriteTokens: toNumber(row.cacheWriteTokens),
});

const toNumber = (text: string | null): number | null => (text === null ? null : Number(text));
