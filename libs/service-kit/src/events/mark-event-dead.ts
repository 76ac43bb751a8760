import type { Transaction } from '../database/open-database.ts';
import type { Arrival } from './event.ts';

/** A message that cannot be handled: it is not a valid event, or its handler failed too often. */
export type Poison = Arrival & {
  /** Id of the event, or `stream:sequence` of a message that is not a valid event. */
  id: string;
  workspaceId: string;
  attempts: number;
  errorClass: string;
  error: unknown;
};

/**
 * Stores a dead event with its payload in `dead_fact`, where an operator can inspect it. The
 * transaction's scope must be every workspace, because an invalid message belongs to none.
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
