import { invalidRequest, ServiceError } from '@witan/contracts';
import type { CompleteAsMessage, CompleteRequest } from '@witan/contracts';
import type { Caller, CompletionDeps, CompletionEvent } from './completion.ts';
import { deliverAnswer, endAnswered, endUndelivered } from './end-attempt.ts';
import type { AnsweredCall, EndedCall } from './end-attempt.ts';
import type { FailedCall } from './outcome.ts';
import { answerCall } from './run-completion.ts';

/**
 * Maximum time in milliseconds for a caller to send a message: the request, or the delivered text.
 */
const DELIVERY_TIMEOUT_MS = 10_000;

type Messages = AsyncIterator<CompleteAsMessage>;

/**
 * Runs a completion for a caller that edits the answer (README, Life of an edited answer): the
 * first message is the request, the second one the delivered text. Yields what `runCompletion`
 * yields, and `ending` before `completed` if the answer can be edited. Throws INVALID_REQUEST for
 * an invalid first message, DEADLINE_EXCEEDED without one within 10 s, CANCELLED if the caller
 * disconnects before it, and what `planCall` throws.
 */
export async function* runEditedCompletion(
  messages: AsyncIterable<CompleteAsMessage>,
  caller: Caller,
  deps: CompletionDeps,
): AsyncGenerator<CompletionEvent, EndedCall | FailedCall> {
  const incoming = messages[Symbol.asyncIterator]();
  try {
    const request = readRequest(await readNext(incoming, caller.signal));
    const options = { caller, deliveryMs: DELIVERY_TIMEOUT_MS };
    const answered = yield* answerCall(request, options, deps);
    if (answered.state === 'failed') return answered;
    if (!answered.isEditable) return yield* deliverAnswer(answered, deps.ledger);
    yield* answered.last;
    yield endingEvent(answered);
    const ended = await readNext(incoming, caller.signal)
      .then(readDelivered)
      .then(
        (content) => endAnswered(answered, deps.ledger, [{ index: 0, content, toolCalls: [] }]),
        (error: unknown) => endUndelivered(answered, deps.ledger, error),
      );
    if (ended.state === 'ended') yield ended.completed;
    return ended;
  } finally {
    // Not awaited: the caller may keep its side of the stream open until this call ends.
    incoming.return?.().catch(() => {});
  }
}

const endingEvent = ({ ending, stopSequence }: AnsweredCall): CompletionEvent => {
  const { finishReason, usage } = ending;
  return { event: { case: 'ending', value: { finishReason, usage, stopSequence } } };
};

/**
 * Proof id format of the ledger, checked before egress because an invalid id could not be certified
 * afterwards.
 */
const PROOF_ID = /^pf_[0-9A-Za-z]{16,40}$/;

const readRequest = ({ message }: CompleteAsMessage): CompleteRequest => {
  if (message.case !== 'request') {
    throw invalidRequest('The first message of CompleteAs must be the request.');
  }
  if (message.value.input.case !== 'conversation') {
    throw invalidRequest('CompleteAs takes a conversation; send wire bodies to Complete.');
  }
  const { proofId, answerProofId } = message.value;
  if (answerProofId !== '' && (!PROOF_ID.test(answerProofId) || answerProofId === proofId)) {
    throw invalidRequest('An answer_proof_id is a proof id (pf_...) of its own.');
  }
  return message.value;
};

/** Returns null for an empty text, because an answer does not distinguish `""` from null. */
const readDelivered = ({ message }: CompleteAsMessage): string | null => {
  if (message.case !== 'delivered') {
    throw invalidRequest('The second message of CompleteAs must be the delivered text.');
  }
  return message.value.content || null;
};

const readNext = async (incoming: Messages, signal: AbortSignal): Promise<CompleteAsMessage> => {
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(signal.reason);
  const timer = setTimeout(() => stopped.reject(deliveryTimedOut()), DELIVERY_TIMEOUT_MS);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const next = await Promise.race([incoming.next().catch(throwDisconnected), stopped.promise]);
    return next.done ? throwDisconnected() : next.value;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
};

const throwDisconnected = (cause?: unknown): never => {
  const message = 'The caller disconnected before it reported the delivered text.';
  throw new ServiceError('CANCELLED', message, { cause });
};

const deliveryTimedOut = (): ServiceError =>
  new ServiceError(
    'DEADLINE_EXCEEDED',
    `CompleteAs received no message from its caller for ${DELIVERY_TIMEOUT_MS} ms.`,
  );
