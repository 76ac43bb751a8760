import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { SaveKeyUses } from '../track-key-uses.ts';

/**
 * Saves the last uses of several keys in one statement. Skips keys for which another process has
 * saved the same or a later time. Rows are locked in the order of their ids, so that processes
 * cannot deadlock.
 */
const SAVE_KEY_USES = `
  UPDATE api_key SET last_used_at = used.at
  FROM (
    SELECT api_key.id, wanted.at
    FROM jsonb_to_recordset(?::jsonb) AS wanted (id text, at timestamptz)
    JOIN api_key ON api_key.id = wanted.id
    WHERE api_key.last_used_at IS NULL OR api_key.last_used_at < wanted.at
    ORDER BY api_key.id
    FOR UPDATE OF api_key
  ) AS used
  WHERE api_key.id = used.id`;

export const createSaveKeyUses =
  (database: Database): SaveKeyUses =>
  async (uses) => {
    const rows = [...uses].map(([id, at]) => ({ id, at }));
    await database.scoped(everyWorkspace, (em) =>
      em.execute(SAVE_KEY_USES, [JSON.stringify(rows)]),
    );
  };
