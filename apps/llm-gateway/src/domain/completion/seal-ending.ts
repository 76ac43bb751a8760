import { isServiceError, ServiceError } from '@witan/contracts';
import { ProofError } from '@witan/proof';
import type { ChatAnswer, FinishReason } from '@witan/proof';
import { certify } from './certify.ts';
import type { Ending, Intent } from './certify.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { CompletionEvent } from './run-completion.ts';
import type { Books } from './ports.ts';

/** A call under way: its intent is durable. */
export type Run = {
  intent: Intent;
  books: Books;
  /** The client's own signal: tells a client that left from a call that took too long. */
  client: AbortSignal;
};

/** Certifies a complete answer and makes the event that says so. */
export const sealAnswer = async (
  run: Run,
  answer: ChatAnswer,
  finishReason: FinishReason,
): Promise<CompletionEvent> => {
  const ending = toEnding(run.intent, answer, finishReason);
  await certify(run.books, run.intent, ending);
  const value = { proofId: run.intent.proofId, finishReason, usage: ending.usage };
  return { event: { case: 'completed', value } };
};

/**
 * Certifies a call that did not end well, with what was delivered until then, and answers the
 * failure to throw; its `proof` field names the certificate.
 */
export const endInFailure = async (
  run: Run,
  answer: ChatAnswer | undefined,
  error: unknown,
): Promise<ServiceError> => {
  const finishReason = run.client.aborted && isCancelled(run.client.reason) ? 'aborted' : 'error';
  await certify(run.books, run.intent, toEnding(run.intent, answer, finishReason));
  const failure = isServiceError(error)
    ? error
    : isFrameTooLarge(error)
      ? new ServiceError('PROVIDER_INVALID_ANSWER', 'The model provider sent a frame over 8 MiB.')
      : new ServiceError('INTERNAL', 'The call failed inside the gateway.', { cause: error });
  return new ServiceError(failure.reason, failure.message, {
    cause: failure.cause,
    fields: { ...failure.fields, proof: run.intent.proofId },
  });
};

const isFrameTooLarge = (error: unknown): boolean =>
  error instanceof ProofError && error.reason === 'frame_too_large';

const isCancelled = (reason: unknown): boolean =>
  isServiceError(reason) && reason.reason === 'CANCELLED';

/** What the contract's uint32 holds; a provider that reports more has reported nonsense. */
const TOKENS_MAX = 2 ** 32 - 1;

const toEnding = (
  { promptTokens }: Intent,
  answer: ChatAnswer | undefined,
  finishReason: FinishReason,
): Ending => {
  const choices = answer?.choices() ?? [];
  const reported = answer?.usage;
  if (reported && Object.values(reported).every((count) => count <= TOKENS_MAX))
    return { choices, finishReason, usage: { ...reported, estimated: false } };
  const completionTokens = estimateTokens(answer?.contentBytes ?? 0);
  const totalTokens = promptTokens + completionTokens;
  return {
    choices,
    finishReason,
    usage: { promptTokens, completionTokens, totalTokens, estimated: true },
  };
};
