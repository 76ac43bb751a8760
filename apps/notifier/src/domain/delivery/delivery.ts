/** Reason of a failed attempt. Only this and the status of a response are stored. */
export type AttemptFailure =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'http_status'
  | 'response_too_large';

/** `statusCode` is 0 if there was no response. */
export type AttemptResult = { statusCode: number; error: AttemptFailure | null };

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
  /** The exact text that is signed and sent. */
  body: string;
  /** UUID of this attempt; results with another lease are rejected as late. */
  lease: string;
  attempt: number;
  url: string;
  /**
   * The current secret and, during a rotation, the previous one; undefined if they cannot be
   * decrypted.
   */
  secrets: readonly string[] | undefined;
  waitedMs: number;
  /** Trace context of the event; empty if it was not sampled. */
  trace: Readonly<Record<string, string>>;
};

/** Outcome of an attempt; written only if the lease is unchanged. */
export type Settlement = {
  id: string;
  webhookId: string;
  lease: string;
  state: DeliveryState;
  /** Result of the attempt; undefined if it could not be made. */
  result: AttemptResult | undefined;
  delayMs: number;
};
