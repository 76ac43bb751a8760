/** Why an attempt failed. Apart from its status, nothing else of a response is stored. */
export type AttemptFailure =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'http_status'
  | 'response_too_large';

/** The result of an attempt; `statusCode` is 0 without a response. */
export type AttemptResult = { statusCode: number; error: AttemptFailure | null };

/** `pending` until an attempt succeeded or the last one failed. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** The delivery of one event to one webhook: one row, updated in place. */
export type Delivery = AttemptResult & {
  id: string;
  event: string;
  state: DeliveryState;
  /** Attempts made, 0 to 3. */
  attempts: number;
  createdAt: Date;
  deliveredAt: Date | null;
};

/** A delivery that this process has leased for its next attempt. */
export type DueDelivery = {
  id: string;
  workspaceId: string;
  webhookId: string;
  event: string;
  /** The exact text that is signed and sent. */
  body: string;
  /** A UUID of this attempt. A result under another lease is late and not written. */
  lease: string;
  /** 1 to 3. */
  attempt: number;
  url: string;
  /** The current secret, then one that it replaces; undefined if they cannot be decrypted. */
  secrets: readonly string[] | undefined;
  /** Time since it became due, in milliseconds. */
  waitedMs: number;
  /** The trace of its event; empty if that was not sampled. */
  trace: Readonly<Record<string, string>>;
};

/** The end of an attempt; written only if the lease is still the same. */
export type Settlement = {
  id: string;
  webhookId: string;
  lease: string;
  state: DeliveryState;
  /** Undefined if the attempt could not be made, which does not count as one of the three. */
  result: AttemptResult | undefined;
  /** For pending deliveries, the time until the next attempt, in milliseconds. */
  delayMs: number;
};
