import { isServiceError, ServiceError } from '@witan/contracts';
import { ProofError } from '@witan/proof';
import type { AnswerChoice, FinishReason, ReportedUsage } from '@witan/proof';
import { answerIdOf, certify, withCertificateId } from './certify.ts';
import type { Ending } from './certify.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { CompletionEvent } from './completion.ts';
import type { Attempt } from './attempt.ts';

export type Delivered = {
  readonly isRefusal?: true;
  choices: () => AnswerChoice[];
  readonly usage: ReportedUsage | undefined;
  readonly contentBytes: number;
};

export type AnswerEnd = { readonly finishReason: FinishReason; readonly stopSequence?: string };

/**
 * Certifies a complete answer and returns the `completed` event. `choices` replace the provider's
 * answer in the certificate if the caller edited it. An answer with tool calls is certified under
 * the attempt's own id, because the final answer follows later under the announced id.
 */
export const certifyAnswer = async (
  { ledger, intent, reportEnd }: Attempt,
  delivered: Delivered,
  { finishReason, stopSequence = '', choices }: AnswerEnd & { choices?: AnswerChoice[] },
): Promise<CompletionEvent> => {
  const unedited = toEnding(intent.call.promptTokens, delivered, finishReason);
  reportEnd(unedited, delivered.isRefusal && 'PROVIDER_REFUSED');
  const ending = choices ? { ...unedited, choices } : unedited;
  const id = hasToolCalls(ending.choices) ? intent.proofId : answerIdOf(intent);
  const proofId = await certify(ledger, intent, ending, id);
  const { usage } = ending;
  return { event: { case: 'completed', value: { proofId, finishReason, usage, stopSequence } } };
};

export const hasToolCalls = (choices: readonly AnswerChoice[]): boolean =>
  choices.some(({ toolCalls }) => toolCalls.length > 0);

export const PROVIDER_REFUSAL: Delivered = {
  isRefusal: true,
  choices: () => [],
  usage: undefined,
  contentBytes: 0,
};

/**
 * Certifies a failed call with the part that was delivered, and returns the failure to throw; its
 * `proof` field names the certificate.
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
 * Certifies an answer whose delivered text the caller did not report: with the provider's whole
 * answer and the finish reason `aborted`. Returns the failure to throw.
 */
export const endUndelivered = (
  attempt: Attempt,
  delivered: Delivered,
  error: unknown,
): Promise<ServiceError> => certifyFailure(attempt, { delivered, finishReason: 'aborted', error });

type FailedEnding = {
  delivered: Delivered | undefined;
  finishReason: FinishReason;
  error: unknown;
};

/**
 * Certifies a failed attempt, and returns the failure with the certificate's id: the id announced
 * to the client, or the attempt's own id if another target follows.
 */
const certifyFailure = async (
  { ledger, intent, isRetryable, reportEnd }: Attempt,
  { delivered, finishReason, error }: FailedEnding,
): Promise<ServiceError> => {
  const failure = toFailure(error);
  const ending = toEnding(intent.call.promptTokens, delivered, finishReason);
  reportEnd(ending, failure.reason);
  const id = isRetryable(failure) ? intent.proofId : answerIdOf(intent);
  const certified = await certify(ledger, intent, ending, id).catch(toOwnCertificateId);
  return withCertificateId(failure, certified);
};

/**
 * Returns the attempt's own id after a CONFLICT: `certify` used it instead, because the announced
 * id belongs to another call. Throws all other errors.
 */
const toOwnCertificateId = (error: unknown): string => {
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

/**
 * Returns the content, finish reason and usage to certify. Usage is estimated if the provider
 * reported none.
 */
export const toEnding = (
  promptTokens: number,
  delivered: Delivered | undefined,
  finishReason: FinishReason,
): Ending => {
  const choices = delivered?.choices() ?? [];
  const reported = delivered?.usage;
  if (reported) return { choices, finishReason, usage: { ...reported, estimated: false } };
  const prompt = delivered?.isRefusal ? 0 : promptTokens;
  const completion = estimateTokens(textBytes(choices));
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

/**
 * Returns the number of UTF-8 bytes in an answer's text; `contentBytes` is larger, because it
 * measures memory.
 */
const textBytes = (choices: readonly AnswerChoice[]): number => {
  const texts = choices.flatMap(({ content, toolCalls }) => [
    content ?? '',
    ...toolCalls.flatMap((call) => [call.name, call.arguments]),
  ]);
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
};
