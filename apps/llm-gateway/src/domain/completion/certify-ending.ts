import { isServiceError, ServiceError } from '@witan/contracts';
import { ProofError } from '@witan/proof';
import type { AnswerChoice, FinishReason, ReportedUsage } from '@witan/proof';
import { answerIdOf, certify, nameCertificate } from './certify.ts';
import type { Ending } from './certify.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { CompletionEvent } from './run-completion.ts';
import type { Attempt } from './run-attempt.ts';

/** What was delivered of an answer, as far as it came. */
export type Delivered = {
  /** The provider refused the call: it did no work, and nobody pays for any. */
  readonly isRefusal?: true;
  choices: () => AnswerChoice[];
  readonly usage: ReportedUsage | undefined;
  /** Memory that what was delivered takes, in bytes. */
  readonly contentBytes: number;
};

/** How an answer ended, by its provider's word. */
export type AnswerEnd = { readonly finishReason: FinishReason; readonly stopSequence?: string };

/**
 * Certifies a complete answer and makes the event that says so. `choices` are what the caller made
 * of it, for the certificate to commit to. One that holds tool calls is no client's answer: that
 * comes later, under the id that the client was told.
 */
export const certifyAnswer = async (
  { ledger, intent, noteEnd }: Attempt,
  delivered: Delivered,
  { finishReason, stopSequence = '', choices }: AnswerEnd & { choices?: AnswerChoice[] },
): Promise<CompletionEvent> => {
  const made = toEnding(intent.call.promptTokens, delivered, finishReason);
  noteEnd(made, delivered.isRefusal && 'PROVIDER_REFUSED');
  const ending = choices ? { ...made, choices } : made;
  const id = holdsToolCalls(ending.choices) ? intent.proofId : answerIdOf(intent);
  const proofId = await certify(ledger, intent, ending, id);
  const { usage } = ending;
  return { event: { case: 'completed', value: { proofId, finishReason, usage, stopSequence } } };
};

/** Whether tools are to be called before there is an answer for anybody to see. */
export const holdsToolCalls = (choices: readonly AnswerChoice[]): boolean =>
  choices.some(({ toolCalls }) => toolCalls.length > 0);

/** Of a call that its provider answered with an error. */
export const REFUSED: Delivered = {
  isRefusal: true,
  choices: () => [],
  usage: undefined,
  contentBytes: 0,
};

/**
 * Certifies a call that did not end well, with what was delivered until then, and answers the
 * failure to throw; its `proof` field names the certificate.
 */
export const endInFailure = (
  attempt: Attempt,
  delivered: Delivered | undefined,
  error: unknown,
): Promise<ServiceError> => {
  const { signal } = attempt.caller;
  const isAborted = signal.aborted && isCancelled(signal.reason);
  return certifyFailure(attempt, {
    delivered,
    finishReason: isAborted ? 'aborted' : 'error',
    error,
  });
};

/**
 * The same for an answer of which nobody says what was delivered: as far as anybody knows, all that
 * the provider said, to a client that left.
 */
export const endUndelivered = (
  attempt: Attempt,
  delivered: Delivered,
  error: unknown,
): Promise<ServiceError> => certifyFailure(attempt, { delivered, finishReason: 'aborted', error });

type Failing = { delivered: Delivered | undefined; finishReason: FinishReason; error: unknown };

/** What ends the call has the id that its client was told; what another target mends has not. */
const certifyFailure = async (
  { ledger, intent, isRetryable, noteEnd }: Attempt,
  { delivered, finishReason, error }: Failing,
): Promise<ServiceError> => {
  const failure = toFailure(error);
  const ending = toEnding(intent.call.promptTokens, delivered, finishReason);
  noteEnd(ending, failure.reason);
  const id = isRetryable(failure) ? intent.proofId : answerIdOf(intent);
  const certified = await certify(ledger, intent, ending, id).catch(readOwn);
  return nameCertificate(failure, certified);
};

/** An id that is another call's takes nothing away from a failure, which has its own then. */
const readOwn = (error: unknown): string => {
  if (isServiceError(error) && error.reason === 'CONFLICT' && error.fields.proof) {
    return error.fields.proof;
  }
  throw error;
};

const toFailure = (error: unknown): ServiceError => {
  if (isServiceError(error)) return error;
  return error instanceof ProofError && error.reason === 'frame_too_large'
    ? new ServiceError('PROVIDER_INVALID_ANSWER', 'The model provider sent a frame over 8 MiB.')
    : new ServiceError('INTERNAL', 'The call failed inside the gateway.', { cause: error });
};

const isCancelled = (reason: unknown): boolean =>
  isServiceError(reason) && reason.reason === 'CANCELLED';

/** What a certificate says of an answer that was delivered as it came. */
export const toEnding = (
  promptTokens: number,
  delivered: Delivered | undefined,
  finishReason: FinishReason,
): Ending => {
  const choices = delivered?.choices() ?? [];
  const reported = delivered?.usage;
  if (reported) return { choices, finishReason, usage: { ...reported, estimated: false } };
  const prompt = delivered?.isRefusal ? 0 : promptTokens;
  const completion = estimateTokens(measureText(choices));
  return {
    choices,
    finishReason,
    usage: {
      promptTokens: prompt,
      completionTokens: completion,
      totalTokens: prompt + completion,
      estimated: true,
    },
  };
};

/** UTF-8 bytes of what an answer says; `contentBytes` is a measure of memory and counts more. */
const measureText = (choices: readonly AnswerChoice[]): number => {
  const words = choices.flatMap(({ content, toolCalls }) => [
    content ?? '',
    ...toolCalls.flatMap((call) => [call.name, call.arguments]),
  ]);
  return words.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
};
