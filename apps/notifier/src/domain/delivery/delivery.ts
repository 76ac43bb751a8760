/** Why an attempt failed; a closed set, and all that is kept of an answer but its status. */
export type AttemptFailure =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'http_status'
  | 'response_too_large';

/** How an attempt went: `statusCode` is 0 when no answer came. */
export type AttemptResult = { statusCode: number; error: AttemptFailure | null };

/** `pending` until an attempt succeeded or the last one failed. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** One event on its way to one webhook; one row, updated in place (decisions.md, Deliveries). */
export type Delivery = AttemptResult & {
  id: string;
  event: string;
  state: DeliveryState;
  /** Attempts that were made, 0 to 3. */
  attempts: number;
  createdAt: Date;
  deliveredAt: Date | null;
};

/** A delivery whose next attempt this process holds the lease of. */
export type DueDelivery = {
  id: string;
  workspaceId: string;
  webhookId: string;
  event: string;
  /** The exact text that is signed and sent. */
  body: string;
  /** Of this attempt alone: a UUID. Who holds another one comes too late. */
  lease: string;
  /** 1 to 3. */
  attempt: number;
  url: string;
  /** The current secret, and behind it one that it replaces; undefined: they cannot be opened. */
  secrets: readonly string[] | undefined;
  /** Since it became due, in milliseconds. */
  waitedMs: number;
  /** That its fact was part of; empty when nobody looked. */
  trace: Readonly<Record<string, string>>;
};

/** What is written when an attempt ends, for who still holds the lease. */
export type Settlement = {
  id: string;
  webhookId: string;
  lease: string;
  state: DeliveryState;
  /** The attempt, when it counts; an attempt that could not be made spends none. */
  spent: AttemptResult | undefined;
  /** For pending ones: until the next attempt, in milliseconds. */
  delayMs: number;
};
