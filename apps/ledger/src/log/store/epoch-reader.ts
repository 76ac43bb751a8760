import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { EpochReader } from '../list-epochs.ts';
import { toHead } from './epoch-store.ts';
import { createFindHeadAt } from './proof-store.ts';

type EpochRow = { n: string; entry: string; keys: string; isLost: boolean };

/** Statements of losses are found by the index `epoch_loss`. A statement has no heads, either. */
const LIST_EPOCHS = `
  WITH loss AS (
    SELECT split_part(entry, E'\\n', 2)::bigint AS first, n AS last FROM epoch
    WHERE entry LIKE 'witan-loss/v1%')
  SELECT n, entry, coalesce(keys, '[]') AS keys,
    EXISTS (SELECT FROM loss WHERE epoch.n BETWEEN first AND last) AS "isLost"
  FROM epoch LEFT JOIN epoch_keys ON hash = split_part(entry, E'\\n', 3)
  WHERE n >= $1 AND n < $2 ORDER BY n`;

export const createEpochReader = (database: Database): EpochReader => ({
  listEpochs: (from, last) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const { rows } = await client.query<EpochRow>(LIST_EPOCHS, [from, last]);
      return rows.map((row) => ({ ...row, n: Number(row.n) }));
    }),
  findHeadAt: createFindHeadAt(database),
  listHeadsAt: (epoch) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const { rows } = await client.query<Parameters<typeof toHead>[0]>(
        `SELECT tree.workspace_id, tree.map_key, tree.secret, head.size, head.root
         FROM tree CROSS JOIN LATERAL (
           SELECT size, root FROM tree_head WHERE workspace_id = tree.workspace_id AND epoch <= $1
           ORDER BY epoch DESC LIMIT 1) AS head
         WHERE tree.secret IS NOT NULL`,
        [epoch],
      );
      return rows.map(toHead);
    }),
});
