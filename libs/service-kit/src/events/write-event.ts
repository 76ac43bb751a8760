import type { Transaction } from '../database/open-database.ts';
import { captureTrace } from '../telemetry/trace-context.ts';
import { newEventId } from '../ids/new-id.ts';
import { toSubject } from './event.ts';
import type { DomainEvent } from './event.ts';
import { OUTBOX_CHANNEL_SQL } from './outbox-store.ts';

export type NewEvent = Pick<DomainEvent, 'workspaceId' | 'type' | 'payload'> &
  Partial<Pick<DomainEvent, 'id' | 'occurredAt'>>;

export type EventRow = Required<NewEvent> & { trace: string };

/**
 * Returns the columns of an event, for SQL functions that insert the event themselves. Throws if
 * the workspace id or the type is invalid.
 */
export const toEventRow = (event: NewEvent): EventRow => {
  toSubject(event);
  const trace = JSON.stringify(captureTrace());
  return { id: newEventId(), occurredAt: new Date(), ...event, trace };
};

/**
 * Writes an event to the outbox in the caller's transaction, so it is published only if the
 * transaction commits. The scope must include the workspace. Returns the event id.
 */
export const writeEvent = async (em: Transaction, event: NewEvent): Promise<string> => {
  const { id, occurredAt, workspaceId, type, payload, trace } = toEventRow(event);
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
