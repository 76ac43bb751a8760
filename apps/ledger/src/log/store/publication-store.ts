import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { PublicationStore } from '../publish.ts';
import type { Published } from '../publish.ts';

type HeadRow = { n: string; root: Buffer };
export type PublishedRow = { size: string; note: string; at: Date };

/** A halted log has no head to publish. */
const FIND_LAST = `SELECT n, root FROM epoch
  WHERE EXISTS (SELECT FROM log_state WHERE halted IS NULL) ORDER BY n DESC LIMIT 1`;

export const FIND_PUBLISHED = 'SELECT size, note, at FROM published';

export const createPublicationStore = (database: Database): PublicationStore => ({
  load: (policyId) =>
    database.scopedClient(everyWorkspace, async (client) => {
      // The published checkpoint is read first, so that the head is never behind it.
      const published = await client.query<PublishedRow>(FIND_PUBLISHED);
      const last = await client.query<HeadRow>(FIND_LAST);
      const [row] = last.rows;
      const head = row && { size: Number(row.n) + 1, root: row.root };
      const current = await client.query(
        'SELECT 1 FROM checkpoint WHERE policy_id = $1 AND size = $2',
        [policyId, head?.size ?? 0],
      );
      return {
        ...{ head, published: toPublished(published.rows[0]) },
        isCurrent: current.rowCount === 1,
      };
    }),
  save: ({ size, note, policyId }) =>
    database.scopedClient(everyWorkspace, async (client) => {
      await client.query('INSERT INTO checkpoint VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
        policyId,
        size,
        note,
      ]);
      const { rowCount } = await client.query(
        `INSERT INTO published AS p (size, note, at) VALUES ($1, $2, now())
         ON CONFLICT (only_one) DO UPDATE
         SET size = excluded.size, note = excluded.note, at = excluded.at
         WHERE p.size <= excluded.size`,
        [size, note],
      );
      return rowCount === 1;
    }),
});

/** Returns the published checkpoint; undefined before the first. */
export const createFindPublished =
  (database: Database) => async (): Promise<Published | undefined> => {
    const rows = await database.query<PublishedRow>({
      name: 'find_published',
      text: FIND_PUBLISHED,
    });
    return toPublished(rows[0]);
  };

export const toPublished = (row: PublishedRow | undefined): Published | undefined =>
  row && { size: Number(row.size), note: row.note, at: row.at };
