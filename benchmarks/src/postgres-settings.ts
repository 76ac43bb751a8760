import { withConnection } from './database.ts';

/** Version and durability settings of the measured PostgreSQL server. */
export type PostgresSettings = {
  version: string;
  fsync: string;
  synchronousCommit: string;
  fullPageWrites: string;
};

/** Returns version and durability settings. Throws if commits are not durable. */
export const readPostgresSettings = (databaseUrl: string): Promise<PostgresSettings> =>
  withConnection(databaseUrl, async (client) => {
    const { rows } = await client.query<PostgresSettings>(
      `SELECT current_setting('server_version') AS version,
              current_setting('fsync') AS fsync,
              current_setting('synchronous_commit') AS "synchronousCommit",
              current_setting('full_page_writes') AS "fullPageWrites"`,
    );
    const settings = rows[0]!;
    if (settings.fsync === 'on' && settings.synchronousCommit === 'on') return settings;
    throw new Error(
      'This PostgreSQL does not wait for its disk: set fsync and synchronous_commit.',
    );
  });
