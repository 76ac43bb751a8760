import type { Database } from '../database/open-database.ts';
import type { Log } from '../log/create-log.ts';
import type { Arrival } from './event.ts';

/** Moves events from outboxes to consumers: through JetStream, or within this process. */
export type EventTransport = {
  /** Attribute `messaging.system` of the consumers' spans. */
  system: string;
  openSender: (outbox: Outbox) => Sender;
  /** Opens the events of a durable consumer. Sources of one consumer share its events. */
  openSource: (consumer: { durable: string; log: Log }) => Source;
};

export type Outbox = {
  database: Database;
  /** Name of the service that writes the outbox. */
  source: string;
  log: Log;
  /** Called when the next batch should be sent without waiting for the poll. */
  onReady: () => void;
  /** Called for a failure that does not prevent publishing. */
  onFailure: (error: unknown) => void;
};

export type PublishRejection = 'too_large' | 'invalid_subject' | 'refused';

/** Outcome of one event; `sequence` is its place in the stream, null if there is no stream. */
export type Publication =
  | { outcome: 'published'; id: string; sequence: number | null }
  | { outcome: 'dead'; id: string; errorClass: PublishRejection; error: unknown }
  | { outcome: 'waiting'; id: string; error: unknown };

export type Batch = { publications: readonly Publication[]; hasMore: boolean };

export type Sender = {
  /** Sends the next events in the order of writing, and marks those that are published or dead. */
  sendBatch: () => Promise<Batch>;
  /** Makes the next batch check whether published events were lost. */
  markSuspect: () => void;
  stop: () => void;
};

/** One delivery of an event to a consumer, ended by `ack`, `retry` or `drop`. */
export type Delivery = {
  arrival: Arrival;
  /** Identifies the message even if it is not a valid event. */
  messageId: string;
  /** Number of deliveries of the event to the consumer, this one included. */
  count: number;
  /** Extends the lease. */
  working: () => void;
  ack: () => Promise<void>;
  retry: (delayMs: number) => void;
  drop: () => void;
};

export type Source = {
  /** Resolves with the next delivery, or with undefined to be called again. Never rejects. */
  next: () => Promise<Delivery | undefined>;
  /** Ends a pending `next`. */
  stop: () => void;
};
