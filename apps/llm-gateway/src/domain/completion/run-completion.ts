import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest, isServiceError, ServiceError } from '@witan/contracts';
import type { CompleteEventSchema, CompleteRequest } from '@witan/contracts';
import type { Privacy } from '../privacy/mask-body.ts';
import { nameCertificate } from './certify.ts';
import { startCallClock } from './call-clock.ts';
import type { CallClock } from './call-clock.ts';
import { planCall } from './plan-call.ts';
import type { PlannedCall } from './plan-call.ts';
import type { AttemptRecord, LedgerClient, ChoicesFor, EndedAttempt } from './ports.ts';
import { isFailoverError, prepareAttempt, runAttempt } from './run-attempt.ts';
import type { Attempt } from './run-attempt.ts';

export type CompletionEvent = MessageInitShape<typeof CompleteEventSchema>;

export type CompletionDeps = {
  ledger: LedgerClient;
  choicesFor: ChoicesFor;
  privacy: Privacy;
  /** Output limits above it are clamped (GATEWAY_MAX_OUTPUT_TOKENS). */
  maxOutputTokens: number;
  /** Absent output limits are written into calls: nobody may use more than is held for it. */
  isMetered: boolean;
  /** Longest time from sending to the last byte, in milliseconds. */
  totalTimeoutMs: number;
  /** Hears of every attempt, once its provider answered or did not. */
  onAttempt: (record: AttemptRecord) => void;
  /** Hears of it again when its answer is over. */
  onEnded: (ended: EndedAttempt) => void;
};

/** Who waits for the answer. */
export type Caller = {
  workspaceId: string;
  requestId: string;
  signal: AbortSignal;
  /**
   * Hears, once the provider has said everything, what the caller's own client gets as the text of
   * the answer; null: none. Absent: all is delivered as it comes.
   */
  awaitDeliveredText?: () => Promise<string | null>;
};

/**
 * One attested completion (README, Life of a completion). Yields opened, wire or part, and
 * completed events; for a caller that edits answers also an ending before the last. Rejects before
 * egress without a trace; after it, only once a certificate says how the call ended (the error's
 * `proof` field then names it).
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

/** As the ledger takes it: an id that it refuses could not be sealed when all is said and sent. */
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
 * Asks the targets in their order, each once, until one says something: what has begun to answer
 * is never left for another. A target that failed has a certificate of its own (gateway.md rule
 * 12); a call with one target is never tried again, because its client's SDK does that.
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
      const proofId = nameAttempt(call.request.proofId, attempts);
      const at = { target, proofId, index, isLast, providerMs };
      attempt = await prepareAttempt(call, at, { caller, clock }, deps);
      attempts += 1;
      yield* runAttempt(attempt, clock, deps);
      return;
    } catch (error) {
      // A later target that has no words for the call is passed by.
      const isUnsupported = index > 0 && !attempt && isInvalid(error);
      if (!isUnsupported) failure = chooseFailure(failure, error, call);
      const mayGoOn =
        isUnsupported ||
        (attempt ? attempt.isRetryable(error) : !clock.signal.aborted && isFailoverError(error));
      if (isLast || !mayGoOn) throw call.sent === 0 ? markUnsent(failure) : failure;
      providerMs = attempt?.providerMs ?? providerMs;
    }
  }
}

/**
 * The first attempt that reserves anything has the id that the caller gave; those after it are
 * named by it, so that a call that is made again meets its own attempts.
 */
const nameAttempt = (proofId: string, attempts: number): string =>
  attempts === 0 ? proofId : `${proofId}f${attempts}`;

/** Tells the caller that nothing left and nothing is certified: it may ask again as it likes. */
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
 * A provider that asks to be left alone for a while says more than one that is not there. The
 * certificate is the last one's, where a client was told its id.
 */
const chooseFailure = (before: unknown, error: unknown, { request }: PlannedCall): unknown => {
  const isAdvice =
    isServiceError(before) && before.reason === 'RATE_LIMITED' && isFailoverError(error);
  if (!isAdvice) return withCertificate(error, proofOf(before));
  const { answerProofId } = request;
  const isKnownToClient = answerProofId !== '' && proofOf(error) === answerProofId;
  return isKnownToClient ? nameCertificate(before, answerProofId) : before;
};

/** An attempt that left no trace does not hide the certificate of the one before it. */
const withCertificate = (error: unknown, certified: string): unknown =>
  isServiceError(error) && certified && !error.fields.proof
    ? nameCertificate(error, certified)
    : error;
