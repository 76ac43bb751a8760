import { isServiceError, ServiceError } from '@witan/contracts';
import { ProofError } from '@witan/proof';

/** Why an attempt has no answer. */
export type Failure = {
  error: ServiceError;
  /** True if another provider may succeed. */
  isFailover: boolean;
  /** The provider's advice, as in its `Retry-After` header. */
  retryAfter?: string;
};

/** How an attempt without an answer ended. `providerMs` is the time spent on the provider. */
export type FailedAttempt =
  /** The provider's dialect cannot express the request; nothing was reserved. */
  | { state: 'unsupported'; failure: Failure; providerMs: number }
  /**
   * No byte was sent, and no certificate written. The ledger may name that of an earlier try of the
   * same call.
   */
  | { state: 'unsent'; failure: Failure; proofId?: string; providerMs: number }
  /**
   * Bytes were sent. `proofId` is the id of the certificate; undefined if it cannot be written.
   * With `mayFallBack` the certificate has the attempt's own id, otherwise the announced one.
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
  /** True if the client disconnected or the call's time is over. */
  isStopped: boolean;
};

/**
 * Returns whether the next target may be tried after a failure of an attempt whose answer was not
 * opened: decides under which id the attempt is certified.
 */
export const mayFallBack = (
  { isFailover }: Pick<Failure, 'isFailover'>,
  { isLast, isStopped }: CallPosition,
): boolean => isFailover && !isLast && !isStopped;

/**
 * Decides after an attempt without an answer: whether the next target is tried, which failure the
 * caller gets otherwise, and which certificate it names. An earlier rate limit takes precedence
 * over a later failover error, because of its retry advice; a failure without a certificate names
 * the one of an earlier attempt; a fallback whose dialect cannot express the request is ignored.
 * `announcedId` is the id that the client knows, if it differs from the attempts' ids.
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

/** Returns the failure of an attempt that sent nothing. Throws errors without a reason: bugs. */
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
