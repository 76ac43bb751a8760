import type { Transaction } from '../database/open-database.ts';
import { captureTrace } from '../telemetry/carry-trace.ts';
import { toSubject } from './fact.ts';
import type { Fact } from './fact.ts';
import { newFactId } from './new-fact-id.ts';
import { OUTBOX_CHANNEL_SQL } from './outbox-sql.ts';

/** A fact that is about to be written; it happens now unless it says when. */
export type NewFact = Pick<Fact, 'workspaceId' | 'type' | 'payload'> &
  Partial<Pick<Fact, 'id' | 'occurredAt'>>;

/** A fact as a row of the outbox; `trace` is JSON. */
export type FactRow = Required<NewFact> & { trace: string };

/** What a function of SQL needs that writes a fact itself. Throws on a type that is no subject. */
export const toFactRow = (fact: NewFact): FactRow => {
  toSubject(fact);
  const trace = JSON.stringify(captureTrace());
  return { id: newFactId(), occurredAt: new Date(), ...fact, trace };
};

/**
 * Writes a fact into the outbox in the caller's transaction, whose scope must hold the workspace:
 * it is published if the transaction commits, and only then. Answers its id.
 */
export const writeFact = async (em: Transaction, fact: NewFact): Promise<string> => {
  const { id, occurredAt, workspaceId, type, payload, trace } = toFactRow(fact);
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
      trace,
      Buffer.from(payload).toString('base64'),
    ],
  );
  return id;
};
