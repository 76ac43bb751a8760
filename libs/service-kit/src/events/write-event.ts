import type { Transaction } from '../database/open-database.ts';
import { captureTrace } from '../telemetry/carry-trace.ts';
import { toSubject } from './event.ts';
import type { DomainEvent } from './event.ts';
import { newEventId } from './new-event-id.ts';
import { OUTBOX_CHANNEL_SQL } from './outbox-sql.ts';

/** A fact that is about to be written; it happens now unless it says when. */
export type NewEvent = Pick<DomainEvent, 'workspaceId' | 'type' | 'payload'> &
  Partial<Pick<DomainEvent, 'id' | 'occurredAt'>>;

/** A fact as a row of the outbox; `trace` is JSON. */
export type EventRow = Required<NewEvent> & { trace: string };

/** What a function of SQL needs that writes a fact itself. Throws on a type that is no subject. */
export const toEventRow = (fact: NewEvent): EventRow => {
  toSubject(fact);
  const trace = JSON.stringify(captureTrace());
  return { id: newEventId(), occurredAt: new Date(), ...fact, trace };
};

/**
 * Writes a fact into the outbox in the caller's transaction, whose scope must hold the workspace:
 * it is published if the transaction commits, and only then. Answers its id.
 */
export const writeEvent = async (em: Transaction, fact: NewEvent): Promise<string> => {
  const { id, occurredAt, workspaceId, type, payload, trace } = toEventRow(fact);
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
