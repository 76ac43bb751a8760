import { jetstream, JetStreamApiError } from '@nats-io/jetstream';
import { errors, headers } from '@nats-io/transport-node';
import type { MsgHdrs } from '@nats-io/transport-node';
import { BrokerUnavailable } from './broker.ts';
import type { Broker } from './broker.ts';
import type { EventHeaders } from './event.ts';
import type { Publication, PublishRejection } from './event-transport.ts';
import type { OutboxRow } from './outbox-store.ts';
import { toArrival } from './to-arrival.ts';

const PUBLISH_TIMEOUT_MS = 5_000;

/** JetStream error codes for a message above the size limit and for headers above 64 KiB. */
const TOO_LARGE_CODES = new Set([10_054, 10_097]);

export const publishEvent = async (
  broker: Broker,
  row: OutboxRow,
  source: string,
): Promise<Publication> => {
  const { id } = row;
  const arrival = toArrival(row, source);
  if (arrival instanceof Error)
    return { outcome: 'dead', id, errorClass: 'invalid_subject', error: arrival };
  try {
    const ack = await broker.use((connection) =>
      jetstream(connection).publish(arrival.subject, arrival.payload, {
        msgID: id,
        headers: toNatsHeaders(arrival.headers),
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

const toNatsHeaders = (texts: EventHeaders): MsgHdrs => {
  const result = headers();
  for (const [name, value] of Object.entries(texts)) result.set(name, value);
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
