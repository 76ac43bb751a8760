import { Client } from 'pg';

/** Runs a query on the rows of a workspace, whose id is its one parameter. */
export const queryWorkspace = async <Row extends object>(
  connectionString: string,
  workspaceId: string,
  sql: string,
): Promise<Row[]> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query('SET search_path TO agents');
    await client.query("SELECT set_config('witan.scope', $1, false)", [workspaceId]);
    return (await client.query<Row>(sql, [workspaceId])).rows;
  } finally {
    await client.end();
  }
};
