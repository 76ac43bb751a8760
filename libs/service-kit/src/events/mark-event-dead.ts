import type { Transaction } from '../database/open-database.ts';
import type { Arrival } from './event.ts';

/** An arrival that is given up: it is no fact, or its handler failed too often. */
export type Poison = Arrival & {
  /** The fact's id; of what is no fact, its place in the stream. */
  id: string;
  /** Empty when it cannot be told. */
  workspaceId: string;
  /** How often it was handed over. */
  attempts: number;
  /** The failure's reason or name. */
  errorClass: string;
  error: unknown;
};

/**
 * Keeps what was given up in the table `dead_fact`, with its content, for an operator. The scope
 * must be every workspace's, for some are of none.
 */
export const markEventDead = async (em: Transaction, poison: Poison): Promise<void> => {
  await em.execute(
    `INSERT INTO dead_fact
       (fact_id, workspace_id, subject, headers, payload, attempts, error_class)
     VALUES (?, ?, ?, ?::jsonb, decode(?, 'base64'), ?, ?) ON CONFLICT DO NOTHING`,
    [
      poison.id,
      poison.workspaceId,
      poison.subject,
      JSON.stringify(poison.headers),
      Buffer.from(poison.payload).toString('base64'),
      poison.attempts,
      poison.errorClass,
    ],
  );
};
