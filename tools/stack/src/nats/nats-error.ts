/** Why our nats-server was refused. Tests assert these. */
export type NatsErrorReason = 'already-running' | 'too-old' | 'not-started' | 'not-stopped';

/** A refusal with its reason; the message says what was wrong and what to do about it. */
export class NatsError extends Error {
  readonly reason: NatsErrorReason;

  constructor(reason: NatsErrorReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NatsError';
    this.reason = reason;
  }
}
