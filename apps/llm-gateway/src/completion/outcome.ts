import { isServiceError, ServiceError } from '@witan/contracts';
import { ProofError } from '@witan/proof';

/** Why an attempt has no complete answer. */
export type Failure = {
  error: ServiceError;
  /** True if another provider may succeed. */
  isFailover: boolean;
  /** The provider's advice, as in its `Retry-After` header. */
  retryAfter?: string;
};

/**
 * How an attempt without a complete answer ended. `providerMs` is the time spent on the provider,
 * in milliseconds.
 */
export type FailedAttempt =
  /**
   * The request is invalid for this target, for example because the provider's dialect cannot
   * express it; nothing was reserved.
   */
  | { state: 'unsupported'; failure: Failure; providerMs: number }
  /**
   * No byte was sent, and no certificate was written. `proofId` is the certificate of an earlier
   * try of the same call, if the ledger named one.
   */
  | { state: 'unsent'; failure: Failure; proofId?: string; providerMs: number }
  /**
   * Bytes may have been sent. `proofId` is the id of the certificate, which the sweeper may still
   * have to write; undefined if none will be written. With `mayFallBack` it is the attempt's own
   * id.
   */
  | {
      state: 'failed';
      failure: Failure;
      proofId: string | undefined;
      mayFallBack: boolean;
      providerMs: number;
    };

/** A call without an answer: the failure that the caller gets, and the certificate it names. */
export type FailedCall = {
  state: 'failed';
  failure: Failure;
  proofId: string | undefined;
  /** True if no attempt sent a byte. */
  isUnsent: boolean;
};

export type CallPosition = {
  isLast: boolean;
  /**
   * True if no other attempt may start, for example because the client disconnected or the call's
   * time is over.
   */
  isStopped: boolean;
};

/**
 * Returns whether the next target may be tried after a failure of an attempt whose answer was not
 * opened. The result also decides under which id the attempt is certified.
 */
export const mayFallBack = (
  { isFailover }: Pick<Failure, 'isFailover'>,
  { isLast, isStopped }: CallPosition,
): boolean => isFailover && !isLast && !isStopped;

/**
 * Decides after an attempt without an answer whether the next target is tried, and otherwise which
 * failure the caller gets and which certificate it names. An earlier rate limit takes precedence
 * over a later failover error, because of its retry advice. A failure without a certificate names
 * the one of an earlier attempt. A fallback whose dialect cannot express the request is ignored.
 * `announcedId` is the id that a service announced to the client, or empty.
 */
export const judgeAttempt = (
  earlier: FailedCall | undefined,
  attempt: FailedAttempt,
  { announcedId, ...position }: CallPosition & { announcedId: string },
): { failed: FailedCall; triesNext: boolean } => {
  if (attempt.state === 'unsupported' && earlier) {
    return { failed: earlier, triesNext: !position.isLast && !position.isStopped };
  }
  const { failure } = attempt;
  const isSent = attempt.state === 'failed';
  const triesNext = mayFallBack(failure, position) && (!isSent || attempt.mayFallBack);
  const isUnsent = !isSent && earlier?.isUnsent !== false;
  const proofId = attempt.state === 'unsupported' ? undefined : attempt.proofId;
  if (earlier?.failure.error.reason !== 'RATE_LIMITED' || !failure.isFailover) {
    const failed = { failure, proofId: proofId ?? earlier?.proofId, isUnsent };
    return { failed: { state: 'failed', ...failed }, triesNext };
  }
  const isKnownToClient = announcedId !== '' && proofId === announcedId;
  const failed = { ...earlier, isUnsent, proofId: isKnownToClient ? announcedId : earlier.proofId };
  return { failed, triesNext };
};

/** Reasons of failures after which another provider may succeed. */
const FAILOVER_REASONS: ReadonlySet<string> = new Set([
  'PROVIDER_UNREACHABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_STREAM_CUT',
  'RATE_LIMITED',
]);

export const toFailure = (error: ServiceError): Failure => ({
  error,
  isFailover: FAILOVER_REASONS.has(error.reason),
});

/**
 * Returns the failure of an attempt that sent nothing. Rethrows an error that is no ServiceError,
 * which is a bug.
 */
export const toUnsentFailure = (error: unknown): Failure => {
  if (!isServiceError(error)) throw error;
  return toFailure(error);
};

/** Returns the failure of a sent attempt, which is certified even if a bug caused it. */
export const toSentFailure = (error: unknown): Failure => {
  if (isServiceError(error)) return toFailure(error);
  return toFailure(
    error instanceof ProofError && error.reason === 'frame_too_large'
      ? new ServiceError('PROVIDER_INVALID_ANSWER', 'The model provider sent a frame over 8 MiB.')
      : new ServiceError('INTERNAL', 'The call failed inside the gateway.', { cause: error }),
  );
};
