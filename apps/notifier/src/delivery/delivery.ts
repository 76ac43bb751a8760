/** Reason of a failed attempt. Of a response, only the status is stored besides it. */
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
  url: string;
  /**
   * The current secret and, during a rotation, the previous one; undefined if they cannot be
   * decrypted.
   */
  secrets: readonly string[] | undefined;
  waitedMs: number;
  /** Trace context of the event; empty if its trace was not sampled. */
  trace: Readonly<Record<string, string>>;
};

/** Outcome of an attempt. It is written only if the delivery still has the same `lease`. */
export type Settlement = {
  id: string;
  webhookId: string;
  lease: string;
  state: DeliveryState;
  /** Result of the attempt; undefined if no attempt could be made, which is not counted. */
  result: AttemptResult | undefined;
  delayMs: number;
};
