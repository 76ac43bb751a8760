export type NatsErrorReason = 'already-running' | 'too-old' | 'not-started' | 'not-stopped';

export class NatsError extends Error {
  readonly reason: NatsErrorReason;

  constructor(reason: NatsErrorReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NatsError';
    this.reason = reason;
  }
}
