import type { Transaction } from '../database/open-database.ts';
import { captureTrace } from '../telemetry/carry-trace.ts';
import { toSubject } from './fact.ts';
import type { Fact } from './fact.ts';
import { newFactId } from './new-fact-id.ts';
import { OUTBOX_CHANNEL_SQL } from './outbox-sql.ts';

/** A fact that is about to be written; it happens now unless it says when. */
export type NewFact = Pick<Fact, 'workspaceId' | 'type' | 'payload'> &
  Partial<Pick<Fact, 'id' | 'occurredAt'>>;

/**
 * Writes a fact into the outbox in the caller's transaction, whose scope must hold the workspace:
 * it is published if the transaction commits, and only then. Answers its id.
 */
export const writeFact = async (em: Transaction, fact: NewFact): Promise<string> => {
  toSubject(fact);
  const { id = newFactId(), occurredAt = new Date(), workspaceId, type, payload } = fact;
  // NOTIFY is sent at the commit, and folds those of one transaction into one.
  await em.execute(
    `WITH written AS (
       INSERT INTO outbox (id, workspace_id, type, occurred_at, trace, payload)
       VALUES (?, ?, ?, ?, ?::jsonb, decode(?, 'base64')) RETURNING id
     ) SELECT pg_notify(${OUTBOX_CHANNEL_SQL}, '') FROM written`,
    [
      id,
      workspaceId,
      type,
      occurredAt.toISOString(),
      JSON.stringify(captureTrace()),
      Buffer.from(payload).toString('base64'),
    ],
  );
  return id;
};
