import { answerIdOf } from './certify.ts';
import type { Attempt } from './attempt.ts';
import type { CompletionEvent } from './completion.ts';
import type { ProviderAnswer } from '../provider/provider.ts';

const FORWARDED_HEADERS =
  /^(retry-after|retry-after-ms|x-should-retry|(x|anthropic)-ratelimit-[a-z\d-]+)$/;

export const openedEvent = (
  attempt: Attempt,
  answer: ProviderAnswer,
  streamed: boolean,
): CompletionEvent => {
  attempt.isOpened = true;
  const headers = forwardedHeaders(answer);
  const { intent, egress, call, provider } = attempt;
  const value = {
    provider: provider.name,
    model: intent.target.model,
    status: answer.status,
    headers,
    streamed,
    proofId: answerIdOf(intent),
    neutral: egress.isNeutral,
    droppedParams: [...egress.dropped],
    promptTokensEstimate: call.promptTokens,
    providerMs: attempt.providerMs,
  };
  return { event: { case: 'opened', value } };
};

export const forwardedHeaders = (answer: ProviderAnswer): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const name in answer.headers) {
    if (FORWARDED_HEADERS.test(name)) headers[name] = answer.headers[name]!;
  }
  const upstreamId = answer.headers['x-request-id'] ?? answer.headers['request-id'];
  if (upstreamId) headers['x-upstream-request-id'] = upstreamId;
  return headers;
};

export const wireEvent = (bytes: Uint8Array): CompletionEvent => ({
  event: { case: 'wire', value: bytes },
});

export const recordProviderTime = (attempt: Attempt): void => {
  attempt.providerMs += performance.now() - attempt.sentAt;
};
