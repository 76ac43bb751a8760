import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { EpochReader } from '../list-epochs.ts';
import { toHead } from './epoch-store.ts';
import { createFindHeadAt } from './proof-store.ts';

type EpochRow = { n: string; entry: string; keys: string };

export const createEpochReader = (database: Database): EpochReader => ({
  listEpochs: (from, last) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const { rows } = await client.query<EpochRow>(
        `SELECT n, entry, keys FROM epoch
         JOIN epoch_keys ON hash = split_part(entry, E'\\n', 3)
         WHERE n >= $1 AND n < $2 ORDER BY n`,
        [from, last],
      );
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
