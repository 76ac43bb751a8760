import { findDatabaseUrl } from '@witan/stack';
import { Client } from 'pg';

/**
 * A delivery as the notifier stores it. It is read from the database, because the API lists only
 * the last fifty deliveries.
 */
export type LogRow = {
  id: string;
  webhookId: string;
  state: 'pending' | 'delivered' | 'failed';
  /** Number of attempts; an attempt that is repeated after a crash counts once. */
  attempts: number;
  statusCode: number;
};

const DELIVERIES = `
  SELECT id, webhook_id AS "webhookId", state, attempts, status_code AS "statusCode"
  FROM delivery`;

export const readLog = async (home: string): Promise<LogRow[]> => {
  const client = new Client({ connectionString: await findDatabaseUrl(home, 'notifier') });
  await client.connect();
  try {
    await client.query(`SELECT set_config('witan.scope', '*', false)`);
    const { rows } = await client.query<LogRow>(DELIVERIES);
    return rows;
  } finally {
    await client.end();
  }
};
