import { jetstream, JetStreamApiError } from '@nats-io/jetstream';
import { errors, headers } from '@nats-io/transport-node';
import type { MsgHdrs } from '@nats-io/transport-node';
import { BrokerAway } from './broker.ts';
import type { Broker } from './broker.ts';
import { toSubject } from './event.ts';

/** A row of the outbox, ready to be sent. */
export type OutboxRow = {
  id: string;
  workspace_id: string;
  type: string;
  /** ISO 8601, UTC, with milliseconds. */
  time: string;
  trace: Record<string, string>;
  payload: Uint8Array;
};

/** Why a row is never published. */
export type PublishRefusal = 'too_large' | 'invalid_subject' | 'refused';

/** What became of a row: the broker has it, will never take it, or may take it later. */
export type Publication =
  | { outcome: 'published'; id: string; sequence: number }
  | { outcome: 'dead'; id: string; errorClass: PublishRefusal; error: unknown }
  | { outcome: 'waiting'; id: string; error: unknown };

/** Rows of a batch are acknowledged together; without an answer in this time the broker hangs. */
const PUBLISH_TIMEOUT_MS = 5_000;
const SPEC_VERSION = '1.0';

/** "Message size exceeds maximum allowed", "header size exceeds maximum allowed of 64k". */
const TOO_LARGE_CODES = new Set([10_054, 10_097]);

/** Sends a row and waits until the stream holds it. Never rejects. */
export const publishEvent = async (
  broker: Broker,
  row: OutboxRow,
  source: string,
): Promise<Publication> => {
  const { id } = row;
  try {
    const subject = toSubject({ workspaceId: row.workspace_id, type: row.type });
    const ack = await broker.use((connection) =>
      jetstream(connection).publish(subject, row.payload, {
        msgID: id,
        headers: toHeaders(row, source),
        timeout: PUBLISH_TIMEOUT_MS,
      }),
    );
    return { outcome: 'published', id, sequence: ack.seq };
  } catch (error) {
    const errorClass = findRefusal(error);
    return errorClass
      ? { outcome: 'dead', id, errorClass, error }
      : { outcome: 'waiting', id, error };
  }
};

const toHeaders = (row: OutboxRow, source: string): MsgHdrs => {
  const all = headers();
  for (const [name, value] of Object.entries(row.trace)) all.set(name, value);
  all.set('ce-specversion', SPEC_VERSION);
  all.set('ce-id', row.id);
  all.set('ce-source', source);
  all.set('ce-type', row.type);
  all.set('ce-time', row.time);
  return all;
};

/**
 * Undefined for what is not the row's fault: it would be another's, too. A missing permission is
 * the operator's mistake, and what waits is published when it is mended.
 */
const findRefusal = (error: unknown): PublishRefusal | undefined => {
  if (error instanceof BrokerAway) return undefined;
  // The client knows the server's max_payload; sending more would cost the connection.
  if (error instanceof errors.InvalidArgumentError) return 'too_large';
  if (error instanceof errors.InvalidSubjectError) return 'invalid_subject';
  if (!(error instanceof JetStreamApiError)) return undefined;
  if (TOO_LARGE_CODES.has(error.code)) return 'too_large';
  return error.status < 500 ? 'refused' : undefined;
};
