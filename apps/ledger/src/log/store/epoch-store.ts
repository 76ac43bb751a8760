import { canonicalJson } from '@witan/proof';
import type { BundleKey } from '@witan/proof/tlog/bundle';
import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { PoolClient } from 'pg';
import type { TreeHead } from '../epoch-map.ts';
import type { TileGrowth } from '../grow-tree.ts';
import { keysHashOf } from '../log-keys.ts';
import type {
  Behind,
  EntryRange,
  EpochStore,
  EpochTransaction,
  LogIdentity,
  NewEpoch,
  NewHead,
} from '../write-epoch.ts';
import {
  encodeBigints,
  encodeByteStrings,
  encodeIntegers,
  encodeTexts,
} from '../../write/store/encode-array.ts';

/** The key of the advisory lock that a writer of epochs holds. */
export const LOG_LOCK = `hashtextextended('transparency_log', 0)`;
const LOCK = `SELECT pg_try_advisory_xact_lock(${LOG_LOCK}) AS locked`;

/**
 * Creates the store that epochs are written with. The lock only saves work: the primary key and the
 * compare-and-swap of the state let one writer of an epoch succeed. Tests switch the lock off.
 */
export const createEpochStore = (
  database: Database,
  { isLocked }: { isLocked: boolean } = { isLocked: true },
): EpochStore => ({
  run: async (work) => {
    try {
      return await database.scopedClient(everyWorkspace, async (client) => {
        if (!isLocked) return await work(toTransaction(client));
        const { rows } = await client.query<{ locked: boolean }>(LOCK);
        return rows[0]!.locked ? await work(toTransaction(client)) : undefined;
      });
    } catch (error) {
      if (isEpochTaken(error)) return undefined;
      throw error;
    }
  },
});

const toTransaction = (client: PoolClient): EpochTransaction => ({
  load: (limit) => load(client, limit),
  readEntries: (ranges) => readEntries(client, ranges),
  loadRest: (first) => loadRest(client, first),
  save: (epoch) => save(client, epoch),
});

/** A workspace that was forgotten has a tree without a secret, which does not grow. */
const FIND_BEHIND = `
  SELECT head.workspace_id, head.chain_index + 1 AS certificates,
    tree.map_key, tree.secret, tree.size, tree.edge
  FROM chain_head AS head LEFT JOIN tree USING (workspace_id)
  WHERE head.chain_index + 1 > coalesce(tree.size, 0)
    AND (tree.workspace_id IS NULL OR tree.secret IS NOT NULL)
  LIMIT $1`;

const STATE = `
  SELECT size, edge, now(), (SELECT at FROM epoch ORDER BY n DESC LIMIT 1) AS last_at
  FROM log_state WHERE halted IS NULL`;

type StateRow = { size: string; edge: Buffer; now: Date; last_at: Date | null };

type BehindRow = {
  workspace_id: string;
  certificates: string;
  map_key: Buffer | null;
  secret: Buffer;
  size: string;
  edge: Buffer;
};

const load = async (client: PoolClient, limit: number): ReturnType<EpochTransaction['load']> => {
  const { rows } = await client.query<StateRow>(STATE);
  const [state] = rows;
  if (!state) return undefined;
  const found = await client.query<BehindRow>(FIND_BEHIND, [limit]);
  const log = { size: Number(state.size), edge: state.edge };
  const { last_at: lastAt, now } = state;
  return { log, lastAt: lastAt ?? undefined, now, behind: found.rows.map(toBehind) };
};

const toBehind = (row: BehindRow): Behind => ({
  workspaceId: row.workspace_id,
  certificates: Number(row.certificates),
  tree:
    row.map_key === null
      ? undefined
      : { mapKey: row.map_key, secret: row.secret, size: Number(row.size), edge: row.edge },
});

/** The aggregate keeps PostgreSQL from joining the tables in another way than by their indexes. */
export const READ_ENTRIES = `
  SELECT wanted.id, read.entries
  FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS wanted(id, first, last)
  CROSS JOIN LATERAL (
    SELECT string_agg(payload_hash || signature, '' ORDER BY chain_index) AS entries
    FROM certificate
    WHERE workspace_id = wanted.id
      AND chain_index >= wanted.first AND chain_index < wanted.last) AS read`;

export const readEntries = async (
  client: PoolClient,
  ranges: readonly EntryRange[],
): Promise<Map<string, string>> => {
  if (ranges.length === 0) return new Map();
  const { rows } = await client.query<{ id: string; entries: string | null }>(READ_ENTRIES, [
    encodeTexts(ranges.map(({ workspaceId }) => workspaceId)),
    encodeBigints(ranges.map(({ first }) => first)),
    encodeBigints(ranges.map(({ last }) => last)),
  ]);
  return new Map(rows.map(({ id, entries }) => [id, entries ?? '']));
};

const HEADS = `SELECT workspace_id, map_key, secret, size, root FROM tree WHERE secret IS NOT NULL`;

/** Keys are read after the certificates, so that the list has the key of each of them. */
const KEYS = `SELECT key_id, public_key, not_before, not_after FROM signing_key
  ORDER BY not_before DESC, not_after DESC NULLS FIRST`;

type KeyRow = { key_id: string; public_key: string; not_before: Date; not_after: Date | null };

type HeadRow = {
  workspace_id: string;
  map_key: Buffer;
  secret: Buffer;
  size: string;
  root: Buffer;
};

const loadRest = async (
  client: PoolClient,
  first: number,
): ReturnType<EpochTransaction['loadRest']> => {
  const heads = await client.query<HeadRow>(HEADS);
  const keys = await client.query<KeyRow>(KEYS);
  const entries = await client.query<{ entry: string }>(
    'SELECT entry FROM epoch WHERE n >= $1 ORDER BY n',
    [first],
  );
  return {
    entries: entries.rows.map(({ entry }) => entry),
    heads: heads.rows.map(toHead),
    keys: keys.rows.map(toKey),
  };
};

export const toHead = (row: HeadRow): TreeHead => ({
  workspaceId: row.workspace_id,
  mapKey: row.map_key,
  secret: row.secret,
  size: Number(row.size),
  root: row.root,
});

const toKey = (row: KeyRow): BundleKey => ({
  keyId: row.key_id,
  notAfter: row.not_after?.toISOString() ?? null,
  notBefore: row.not_before.toISOString(),
  publicKey: row.public_key,
});

/** Thrown if another replica has written the epoch first. */
class EpochTakenError extends Error {}

const save = async (
  client: PoolClient,
  { n, entry, keys, heads, log }: NewEpoch,
): Promise<void> => {
  const moved = await client.query(
    'UPDATE log_state SET size = $2, edge = $3 WHERE size = $1 AND halted IS NULL',
    [n, log.size, log.edge],
  );
  if (moved.rowCount !== 1) throw new EpochTakenError(`Epoch ${n} is written already.`);
  await client.query('INSERT INTO epoch (n, entry, root) VALUES ($1, $2, $3)', [
    n,
    entry,
    log.root,
  ]);
  await client.query('INSERT INTO epoch_keys VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    keysHashOf(entry),
    canonicalJson(keys),
  ]);
  await saveLogTiles(client, log.tiles);
  if (heads.length === 0) return;
  await saveTrees(client, heads, n);
  await saveTreeTiles(client, heads);
};

export const saveLogTiles = async (
  client: PoolClient,
  tiles: readonly TileGrowth[],
): Promise<void> => {
  if (tiles.length === 0) return;
  await client.query(
    `INSERT INTO log_tile AS tile SELECT * FROM unnest($1::int[], $2::bigint[], $3::bytea[])
     ON CONFLICT (level, n) DO UPDATE SET hashes = tile.hashes || excluded.hashes`,
    [
      encodeIntegers(tiles.map(({ level }) => level)),
      encodeBigints(tiles.map((tile) => tile.n)),
      encodeByteStrings(tiles.map(({ hashes }) => hashes)),
    ],
  );
};

const SAVE_TREES = `
  INSERT INTO tree (workspace_id, map_key, secret, size, root, edge)
  SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bytea[], $6::bytea[])
  ON CONFLICT (workspace_id) DO UPDATE
  SET size = excluded.size, root = excluded.root, edge = excluded.edge`;

const SAVE_HEADS = `
  INSERT INTO tree_head (workspace_id, size, root, path, epoch)
  SELECT *, $5::bigint FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::bytea[])`;

const saveTrees = async (
  client: PoolClient,
  heads: readonly NewHead[],
  epoch: number,
): Promise<void> => {
  const ids = encodeTexts(heads.map(({ workspaceId }) => workspaceId));
  const sizes = encodeBigints(heads.map(({ size }) => size));
  const roots = encodeByteStrings(heads.map(({ root }) => root));
  await client.query(SAVE_TREES, [
    ids,
    encodeByteStrings(heads.map(({ mapKey }) => mapKey)),
    encodeByteStrings(heads.map(({ secret }) => secret)),
    sizes,
    roots,
    encodeByteStrings(heads.map(({ edge }) => edge)),
  ]);
  const paths = encodeByteStrings(heads.map(({ path }) => path));
  await client.query(SAVE_HEADS, [ids, sizes, roots, paths, epoch]);
};

const SAVE_TREE_TILES = `
  INSERT INTO tree_tile AS tile (workspace_id, level, n, hashes)
  SELECT * FROM unnest($1::text[], $2::int[], $3::bigint[], $4::bytea[])
  ON CONFLICT (workspace_id, level, n) DO UPDATE SET hashes = tile.hashes || excluded.hashes`;

const saveTreeTiles = async (client: PoolClient, heads: readonly NewHead[]): Promise<void> => {
  const tiles = heads.flatMap((head) =>
    head.tiles.map((tile) => ({ ...tile, workspaceId: head.workspaceId })),
  );
  if (tiles.length === 0) return;
  await client.query(SAVE_TREE_TILES, [
    encodeTexts(tiles.map(({ workspaceId }) => workspaceId)),
    encodeIntegers(tiles.map(({ level }) => level)),
    encodeBigints(tiles.map(({ n }) => n)),
    encodeByteStrings(tiles.map(({ hashes }) => hashes)),
  ]);
};

/** Returns whether a transaction was lost to another replica that wrote the same epoch. */
const isEpochTaken = (error: unknown): boolean =>
  error instanceof EpochTakenError ||
  (error instanceof Error && 'constraint' in error && error.constraint === EPOCH_KEY);

/** Other constraints show a damaged database, which must be reported. */
const EPOCH_KEY = 'epoch_pkey';

/**
 * Stores the origin of the log at the first start, with a new secret, and returns both. Throws if
 * the origin differs later, because witnesses know the log by it.
 */
export const ensureIdentity = (
  database: Database,
  { origin, secret }: LogIdentity,
): Promise<LogIdentity> =>
  database.scopedClient(everyWorkspace, async (client) => {
    const insert =
      'INSERT INTO log_identity (origin, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    await client.query(insert, [origin, secret]);
    const { rows } = await client.query<LogIdentity>('SELECT origin, secret FROM log_identity');
    const stored = rows[0]!;
    if (stored.origin === origin) return stored;
    throw new Error(
      `The log of this database is "${stored.origin}", but WITAN_LOG_ORIGIN is "${origin}": an ` +
        'origin never changes. Restore the setting, or use another database.',
    );
  });
