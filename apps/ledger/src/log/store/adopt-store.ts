import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { PoolClient } from 'pg';
import type { AdoptTransaction } from '../adopt-log.ts';
import type { Published } from '../publish.ts';
import { LOG_LOCK, saveLogTiles } from './epoch-store.ts';
import { FIND_PUBLISHED, toPublished } from './publication-store.ts';
import type { PublishedRow } from './publication-store.ts';

/** Returns a function that runs work in a transaction during which no replica writes epochs. */
export const createAdoptRun =
  (database: Database) =>
  <T>(work: (transaction: AdoptTransaction) => Promise<T>): Promise<T> =>
    database.scopedClient(everyWorkspace, async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(${LOG_LOCK})`);
      return await work({
        load: () => load(client),
        findTreesSince: (first) => findTreesSince(client, first),
        cutTree: (workspaceId, tree) => cutTree(client, workspaceId, tree),
        cutLog: (first) => cutLog(client, first),
        append: async ({ n, entry, root, tiles }) => {
          await client.query('INSERT INTO epoch VALUES ($1, $2, $3)', [n, entry, root]);
          await saveLogTiles(client, tiles);
        },
        saveState: async ({ size, edge }) => {
          await client.query('UPDATE log_state SET size = $1, edge = $2', [size, edge]);
        },
      });
    });

const load = async (
  client: PoolClient,
): Promise<{ vkeys: string[]; size: number; published: Published | undefined }> => {
  const keys = await client.query<{ vkey: string }>('SELECT vkey FROM log_key ORDER BY at, vkey');
  if (keys.rows.length === 0) {
    throw new Error('This database has no transparency log: no ledger with one has used it.');
  }
  const state = await client.query<{ size: string }>('SELECT size FROM log_state');
  const published = await client.query<PublishedRow>(FIND_PUBLISHED);
  return {
    vkeys: keys.rows.map(({ vkey }) => vkey),
    size: Number(state.rows[0]!.size),
    published: toPublished(published.rows[0]),
  };
};

const findTreesSince = async (
  client: PoolClient,
  first: number,
): Promise<{ workspaceId: string; size: number }[]> => {
  const { rows } = await client.query<{ workspace_id: string; size: string }>(
    `SELECT workspace_id, coalesce(max(size) FILTER (WHERE epoch < $1), 0) AS size
     FROM tree_head GROUP BY workspace_id HAVING max(epoch) >= $1`,
    [first],
  );
  return rows.map((row) => ({ workspaceId: row.workspace_id, size: Number(row.size) }));
};

const cutTree = async (
  client: PoolClient,
  workspaceId: string,
  { size, edge, root }: Parameters<AdoptTransaction['cutTree']>[1],
): Promise<void> => {
  await withoutTrigger(client, { table: 'tree_tile', trigger: 'only_grows' }, () =>
    cutTiles(client, { table: 'tree_tile', size, workspaceId }),
  );
  if (size === 0) {
    await client.query('DELETE FROM tree WHERE workspace_id = $1', [workspaceId]);
    return;
  }
  await client.query('UPDATE tree SET size = $2, edge = $3, root = $4 WHERE workspace_id = $1', [
    ...[workspaceId, size, edge, root],
  ]);
};

const cutLog = async (client: PoolClient, first: number): Promise<void> => {
  for (const [table, column] of [
    ['tree_head', 'epoch'],
    ['epoch', 'n'],
  ] as const) {
    await withoutTrigger(client, { table, trigger: 'append_only' }, async () => {
      await client.query(`DELETE FROM ${table} WHERE ${column} >= $1`, [first]);
    });
  }
  await withoutTrigger(client, { table: 'log_tile', trigger: 'only_grows' }, () =>
    cutTiles(client, { table: 'log_tile', size: first }),
  );
};

/** Removes the hashes of a tree that it does not have with `size` leaves. */
const cutTiles = async (
  client: PoolClient,
  { table, size, workspaceId }: { table: string; size: number; workspaceId?: string },
): Promise<void> => {
  const parameters = workspaceId === undefined ? [size] : [size, workspaceId];
  const own = workspaceId === undefined ? 'true' : 'workspace_id = $2';
  const width = `div($1::numeric, 256::numeric ^ level) - n * 256`;
  await client.query(
    `DELETE FROM ${table}
     WHERE ${own} AND ((level = 0 AND ${width} < 256) OR ${width} <= 0)`,
    parameters,
  );
  await client.query(
    `UPDATE ${table} SET hashes = substring(hashes FOR (32 * (${width}))::int)
     WHERE ${own} AND level > 0 AND octet_length(hashes) > 32 * (${width})`,
    parameters,
  );
};

/** Runs work while a trigger that refuses changes is off; other sessions wait until the commit. */
const withoutTrigger = async (
  client: PoolClient,
  { table, trigger }: { table: string; trigger: string },
  work: () => Promise<void>,
): Promise<void> => {
  await client.query(`ALTER TABLE ${table} DISABLE TRIGGER ${trigger}`);
  await work();
  await client.query(`ALTER TABLE ${table} ENABLE TRIGGER ${trigger}`);
};
