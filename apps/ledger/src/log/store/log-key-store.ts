import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';

/** Stores public keys of the log; resolves with all that it ever had, the oldest first. */
export const ensureLogKeys = (database: Database, vkeys: readonly string[]): Promise<string[]> =>
  database.scopedClient(everyWorkspace, async (client) => {
    for (const vkey of vkeys) {
      await client.query('INSERT INTO log_key (vkey) VALUES ($1) ON CONFLICT DO NOTHING', [vkey]);
    }
    const { rows } = await client.query<{ vkey: string }>(
      'SELECT vkey FROM log_key ORDER BY at, vkey',
    );
    return rows.map(({ vkey }) => vkey);
  });
