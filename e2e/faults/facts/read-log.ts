import { readSnapshot } from '../query.ts';

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

export const readLog = (home: string): Promise<LogRow[]> =>
  readSnapshot({ home, service: 'notifier' }, (rowsOf) => rowsOf<LogRow>(DELIVERIES));
