import pg from 'pg';

/** What the measured server says about itself. */
export type PostgresFacts = {
  version: string;
  fsync: string;
  synchronousCommit: string;
  fullPageWrites: string;
};

/** Reads the server's version and how durable its commits are. Throws when they are not durable. */
export const readPostgresFacts = async (databaseUrl: string): Promise<PostgresFacts> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<PostgresFacts>(
      `SELECT current_setting('server_version') AS version,
              current_setting('fsync') AS fsync,
              current_setting('synchronous_commit') AS "synchronousCommit",
              current_setting('full_page_writes') AS "fullPageWrites"`,
    );
    const facts = rows[0]!;
    if (facts.fsync === 'on' && facts.synchronousCommit === 'on') return facts;
    throw new Error(
      'This PostgreSQL does not wait for its disk: set fsync and synchronous_commit.',
    );
  } finally {
    await client.end();
  }
};
