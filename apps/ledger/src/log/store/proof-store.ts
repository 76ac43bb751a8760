import type { BundleKey } from '@witan/proof/tlog/bundle';
import { everyWorkspace, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { CertificateReader } from '../../chain/sign-certificates.ts';
import type { TreeSample } from '../audit-trees.ts';
import type { BundleReader, CommittedHead } from '../build-bundle.ts';
import { parseEntries } from '../grow-tree.ts';
import { keysHashOf } from '../log-keys.ts';
import type { TileSource } from '../read-tile.ts';
import { readEntries, toHead } from './epoch-store.ts';

type HeadRow = Parameters<typeof toHead>[0] & { epoch: string; path: Buffer };

const HEAD = `SELECT head.workspace_id, tree.map_key, tree.secret, head.size, head.root, head.epoch,
    head.path
  FROM tree_head AS head JOIN tree USING (workspace_id)
  WHERE head.workspace_id = $1 AND tree.secret IS NOT NULL`;

export const createBundleReader = (
  database: Database,
  certificates: Pick<CertificateReader, 'find'>,
): BundleReader => ({
  findCertificate: certificates.find,
  findHead: (workspaceId, index) =>
    findHead(database, workspaceId, {
      text: `${HEAD} AND head.size > $2 ORDER BY head.size LIMIT 1`,
      value: index,
    }),
  findCheckpoint: (policyId, epoch) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const { rows } = await client.query<{ size: string; note: string; entry: string }>(
        `SELECT checkpoint.size, checkpoint.note, epoch.entry FROM checkpoint, epoch
         WHERE epoch.n = $2 AND checkpoint.policy_id = $1 AND checkpoint.size > $2
         ORDER BY checkpoint.size LIMIT 1`,
        [policyId, epoch],
      );
      const [row] = rows;
      if (!row) return undefined;
      const keys = await client.query<{ keys: string }>(
        'SELECT keys FROM epoch_keys WHERE hash = $1',
        [keysHashOf(row.entry)],
      );
      return {
        size: Number(row.size),
        note: row.note,
        keys: JSON.parse(keys.rows[0]!.keys) as BundleKey[],
      };
    }),
  treeTiles: (workspaceId) => createTreeTiles(database, workspaceId),
});

/** Returns trees in the order of their map keys, from a key on; the first follows the last. */
export const createFindTrees =
  (database: Database): TreeSample['findTrees'] =>
  (from, limit) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const { rows } = await client.query<{ workspace_id: string; size: string; edge: Buffer }>(
        `WITH next AS (
           SELECT workspace_id, size, edge FROM tree WHERE map_key >= $1 ORDER BY map_key LIMIT $2),
         first AS (
           SELECT workspace_id, size, edge FROM tree WHERE map_key < $1 ORDER BY map_key LIMIT $2)
         SELECT * FROM next UNION ALL SELECT * FROM first LIMIT $2`,
        [from, limit],
      );
      return rows.map((row) => ({
        ...{ workspaceId: row.workspace_id, size: Number(row.size), edge: row.edge },
      }));
    });

/** Returns the newest head of a tree that is in an epoch or in one before it. */
export const createFindHeadAt =
  (database: Database) =>
  (workspaceId: string, epoch: number): Promise<CommittedHead | undefined> =>
    findHead(database, workspaceId, {
      text: `${HEAD} AND head.epoch <= $2 ORDER BY head.epoch DESC LIMIT 1`,
      value: epoch,
    });

const findHead = (
  database: Database,
  workspaceId: string,
  { text, value }: { text: string; value: number },
): Promise<CommittedHead | undefined> =>
  database.scopedClient(workspaceScope(workspaceId), async (client) => {
    const { rows } = await client.query<HeadRow>(text, [workspaceId, value]);
    const [row] = rows;
    return row && { ...toHead(row), epoch: Number(row.epoch), path: row.path };
  });

const createTreeTiles = (database: Database, workspaceId: string): TileSource => ({
  findTile: (level, n) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const { rows } = await client.query<{ hashes: Buffer }>(
        'SELECT hashes FROM tree_tile WHERE workspace_id = $1 AND level = $2 AND n = $3',
        [workspaceId, level, n],
      );
      return rows[0]?.hashes;
    }),
  readEntries: (first, last) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const texts = await readEntries(client, [{ workspaceId, first, last }]);
      return parseEntries(texts.get(workspaceId) ?? '', last - first);
    }),
});

export const createLogTiles = (database: Database): TileSource => ({
  findTile: (level, n) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const { rows } = await client.query<{ hashes: Buffer }>(
        'SELECT hashes FROM log_tile WHERE level = $1 AND n = $2',
        [level, n],
      );
      return rows[0]?.hashes;
    }),
  readEntries: (first, last) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const { rows } = await client.query<{ entry: string }>(
        'SELECT entry FROM epoch WHERE n >= $1 AND n < $2 ORDER BY n',
        [first, last],
      );
      return rows.map(({ entry }) => Buffer.from(entry));
    }),
});
