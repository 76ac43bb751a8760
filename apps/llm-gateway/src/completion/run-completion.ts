import { invalidRequest, isServiceError, ServiceError } from '@witan/contracts';
import type { CompleteRequest } from '@witan/contracts';
import { withCertificateId } from './certify.ts';
import { startCallClock } from './call-clock.ts';
import type { CallClock } from './call-clock.ts';
import { planCall } from './plan-call.ts';
import type { PlannedCall } from './plan-call.ts';
import { isFailoverError, prepareAttempt, runAttempt } from './run-attempt.ts';
import type { Attempt } from './attempt.ts';
import type { CompletionEvent, CompletionDeps, Caller } from './completion.ts';

/**
 * Runs one attested completion (README, Life of a completion). Yields `opened`, then `wire` or
 * `part`, then `completed` events; for a caller that edits answers also `ending` before
 * `completed`. A failure before egress leaves no certificate; a later one is thrown once a
 * certificate is durable, which its `proof` field names.
 */
export async function* runCompletion(
  request: CompleteRequest,
  caller: Caller,
  deps: CompletionDeps,
): AsyncGenerator<CompletionEvent> {
  const clock = startCallClock(caller.signal, deps.totalTimeoutMs);
  try {
    const { workspaceId } = caller;
    checkAnswerId(request, caller);
    const call = await planCall(request, { workspaceId, signal: clock.signal }, deps);
    yield* tryTargets(call, caller, clock, deps);
  } finally {
    clock.close();
  }
}

/**
 * Proof id format of the ledger, checked before egress because an invalid id could not be certified
 * afterwards.
 */
const PROOF_ID = /^pf_[0-9A-Za-z]{16,40}$/;

const checkAnswerId = (
  { proofId, answerProofId }: CompleteRequest,
  { awaitDeliveredText }: Caller,
): void => {
  if (answerProofId === '') return;
  if (!awaitDeliveredText) throw invalidRequest('Only CompleteAs takes an answer_proof_id.');
  if (!PROOF_ID.test(answerProofId) || answerProofId === proofId) {
    throw invalidRequest('An answer_proof_id is a proof id (pf_...) of its own.');
  }
};

/**
 * Tries the targets in order, each once, until one responds. A started answer is never replaced by
 * another target. A failed attempt has its own certificate. A call with one target is not retried,
 * because the client's SDK does that.
 */
async function* tryTargets(
  call: PlannedCall,
  caller: Caller,
  clock: CallClock,
  deps: CompletionDeps,
): AsyncGenerator<CompletionEvent> {
  const { targets } = call.route;
  let providerMs = 0;
  let failure: unknown;
  let attempts = 0;
  for (const [index, target] of targets.entries()) {
    const isLast = index === targets.length - 1;
    let attempt: Attempt | undefined;
    try {
      const proofId = attemptIdOf(call.request.proofId, attempts);
      const at = { target, proofId, index, isLast, providerMs };
      attempt = await prepareAttempt(call, at, { caller, clock }, deps);
      attempts += 1;
      yield* runAttempt(attempt, clock, deps);
      return;
    } catch (error) {
      // A fallback whose dialect cannot express the request is skipped.
      const isUnsupported = index > 0 && !attempt && isInvalid(error);
      if (!isUnsupported) failure = chooseFailure(failure, error, call);
      const mayContinue =
        isUnsupported ||
        (attempt ? attempt.isRetryable(error) : !clock.signal.aborted && isFailoverError(error));
      if (isLast || !mayContinue) throw call.sent === 0 ? markUnsent(failure) : failure;
      providerMs = attempt?.providerMs ?? providerMs;
    }
  }
}

/**
 * Returns the id of an attempt. The first attempt has the caller's id; later ones derive theirs
 * from it, so that a retried call finds the attempts of its first try.
 */
const attemptIdOf = (proofId: string, attempts: number): string =>
  attempts === 0 ? proofId : `${proofId}f${attempts}`;

const markUnsent = (error: unknown): unknown =>
  isServiceError(error)
    ? new ServiceError(error.reason, error.message, {
        cause: error.cause,
        fields: { ...error.fields, unsent: 'true' },
      })
    : error;

const isInvalid = (error: unknown): boolean =>
  isServiceError(error) && error.reason === 'INVALID_REQUEST';

const proofOf = (error: unknown): string => (isServiceError(error) && error.fields.proof) || '';

/**
 * Returns the failure to throw after several attempts: the latest one, or an earlier rate limit,
 * because of its retry advice, if the latest one is a failover error. If the certificate of the
 * latest attempt has the id announced to the client, the failure names it.
 */
const chooseFailure = (earlier: unknown, error: unknown, { request }: PlannedCall): unknown => {
  const prefersEarlier =
    isServiceError(earlier) && earlier.reason === 'RATE_LIMITED' && isFailoverError(error);
  if (!prefersEarlier) return withEarlierCertificate(error, proofOf(earlier));
  const { answerProofId } = request;
  const isKnownToClient = answerProofId !== '' && proofOf(error) === answerProofId;
  return isKnownToClient ? withCertificateId(earlier, answerProofId) : earlier;
};

/** Returns the error; if it names no certificate, with `certified`, that of an earlier attempt. */
const withEarlierCertificate = (error: unknown, certified: string): unknown =>
  isServiceError(error) && certified && !error.fields.proof
    ? withCertificateId(error, certified)
    : error;
