import { jetstream, JetStreamApiError } from '@nats-io/jetstream';
import { errors, headers } from '@nats-io/transport-node';
import type { MsgHdrs } from '@nats-io/transport-node';
import { BrokerUnavailable } from './broker.ts';
import type { Broker } from './broker.ts';
import { toSubject } from './event.ts';

export type OutboxRow = {
  id: string;
  workspace_id: string;
  type: string;
  time: string;
  trace: Record<string, string>;
  payload: Uint8Array;
};

export type PublishRejection = 'too_large' | 'invalid_subject' | 'refused';

export type Publication =
  | { outcome: 'published'; id: string; sequence: number }
  | { outcome: 'dead'; id: string; errorClass: PublishRejection; error: unknown }
  | { outcome: 'waiting'; id: string; error: unknown };

const PUBLISH_TIMEOUT_MS = 5_000;
const SPEC_VERSION = '1.0';

/** JetStream error codes for a message above the size limit and for headers above 64 KiB. */
const TOO_LARGE_CODES = new Set([10_054, 10_097]);

export const publishEvent = async (
  broker: Broker,
  row: OutboxRow,
  source: string,
): Promise<Publication> => {
  const { id } = row;
  const subject = findSubject(row);
  if (subject instanceof Error) {
    return { outcome: 'dead', id, errorClass: 'invalid_subject', error: subject };
  }
  try {
    const ack = await broker.use((connection) =>
      jetstream(connection).publish(subject, row.payload, {
        msgID: id,
        headers: toHeaders(row, source),
        timeout: PUBLISH_TIMEOUT_MS,
      }),
    );
    return { outcome: 'published', id, sequence: ack.seq };
  } catch (error) {
    const errorClass = findRejection(error);
    return errorClass
      ? { outcome: 'dead', id, errorClass, error }
      : { outcome: 'waiting', id, error };
  }
};

/** Returns the subject of an event, or the error if its workspace id or its type is invalid. */
const findSubject = ({ workspace_id: workspaceId, type }: OutboxRow): string | Error => {
  try {
    return toSubject({ workspaceId, type });
  } catch (error) {
    return error as Error;
  }
};

const toHeaders = (row: OutboxRow, source: string): MsgHdrs => {
  const result = headers();
  for (const [name, value] of Object.entries(row.trace)) result.set(name, value);
  result.set('ce-specversion', SPEC_VERSION);
  result.set('ce-id', row.id);
  result.set('ce-source', source);
  result.set('ce-type', row.type);
  result.set('ce-time', row.time);
  return result;
};

/**
 * Returns why the broker will never accept this event, or undefined if publishing it can be
 * retried. A missing permission can be retried, because an operator can grant it.
 */
const findRejection = (error: unknown): PublishRejection | undefined => {
  if (error instanceof BrokerUnavailable) return undefined;
  // Thrown by the client without sending the message if it exceeds the server's max_payload,
  // because sending it would close the connection.
  if (error instanceof errors.InvalidArgumentError) return 'too_large';
  if (error instanceof errors.InvalidSubjectError) return 'invalid_subject';
  if (!(error instanceof JetStreamApiError)) return undefined;
  if (TOO_LARGE_CODES.has(error.code)) return 'too_large';
  return error.status < 500 ? 'refused' : undefined;
};
