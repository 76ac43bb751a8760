import type { RetrySchedule } from '@witan/contracts';

/** Reason of a failed attempt. The only other part of a response that is stored is its status. */
export type AttemptFailure =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'http_status'
  | 'response_too_large';

/** Result of an attempt; `statusCode` is 0 if there was no response. */
export type AttemptResult = { statusCode: number; error: AttemptFailure | null };

/** Result of an attempt, and the delay that the receiver requests with `Retry-After`. */
export type AttemptResponse = AttemptResult & { retryAfterMs?: number };

export type DeliveryState = 'pending' | 'delivered' | 'failed';

export type Delivery = AttemptResult & {
  id: string;
  event: string;
  state: DeliveryState;
  attempts: number;
  createdAt: Date;
  deliveredAt: Date | null;
};

export type DueDelivery = {
  id: string;
  workspaceId: string;
  webhookId: string;
  event: string;
  /** The exact JSON text that is signed and sent. */
  body: string;
  /** UUID of this attempt. The result is written only if the delivery still has this lease. */
  lease: string;
  attempt: number;
  /** Schedule of the webhook at the time of the claim. */
  retrySchedule: RetrySchedule;
  /** Changes when the webhook's URL changes and when the webhook resumes. */
  endpointVersion: number;
  url: string;
  /**
   * The current secret and, during a rotation, the previous one; undefined if they cannot be
   * decrypted.
   */
  secrets: readonly string[] | undefined;
  waitedMs: number;
  /** Trace context in which the delivery was created; empty if there was none. */
  trace: Readonly<Record<string, string>>;
};

/** Outcome of an attempt. It is written only if the delivery still has the same `lease`. */
export type Settlement = {
  id: string;
  webhookId: string;
  lease: string;
  state: DeliveryState;
  /** Result of the attempt; undefined if the attempt does not count. */
  result: AttemptResult | undefined;
  delayMs: number;
};

type Envelope = { event: string; data: object; timestamp: Date; webhookId: string };

export const encodeEnvelope = ({ webhookId, ...content }: Envelope): string => {
  const { prefix, suffix } = splitEnvelope(content);
  return `${prefix}${webhookId}${suffix}`;
};

/** JSON text of an envelope before and after its webhook id. */
export type SplitEnvelope = { prefix: string; suffix: string };

/**
 * Returns the text of {@link encodeEnvelope} split around the webhook id, so that an event is
 * encoded once for all webhooks. The id is inserted as is, because it contains no character that
 * JSON escapes.
 */
export const splitEnvelope = ({
  event,
  data,
  timestamp,
}: Omit<Envelope, 'webhookId'>): SplitEnvelope => {
  const text = JSON.stringify({ event, data, timestamp: timestamp.toISOString(), webhookId: '' });
  return { prefix: text.slice(0, -SUFFIX.length), suffix: SUFFIX };
};

const SUFFIX = '"}';

/**
 * Writes an event and one delivery for each active, subscribed webhook of the workspace in one
 * transaction. Returns the number of deliveries, or 0 if the event was recorded before.
 */
export type RecordEvent = (event: {
  id: string;
  workspaceId: string;
  type: string;
  /**
   * Common prefix of the ids of the event's deliveries. Two digits are appended to it per delivery.
   */
  idPrefix: string;
  envelope: SplitEnvelope;
}) => Promise<number>;
