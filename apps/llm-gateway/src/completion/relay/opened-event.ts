import type { ProviderAnswer } from '../../provider/provider.ts';
import { endIdOf } from '../attempt.ts';
import type { SentAttempt } from '../attempt.ts';
import type { CompletionEvent } from '../completion.ts';

const FORWARDED_HEADERS =
  /^(retry-after|retry-after-ms|x-should-retry|(x|anthropic)-ratelimit-[a-z\d-]+)$/;

/** Returns the first event of an answer, with the certificate's id that the client knows. */
export const openedEvent = (
  { position, intent, form, answer }: SentAttempt,
  { streamed, providerMs }: { streamed: boolean; providerMs: number },
): CompletionEvent => {
  const { target, call } = intent;
  const value = {
    provider: target.provider,
    model: target.model,
    status: answer.status,
    headers: forwardedHeaders(answer),
    streamed,
    proofId: endIdOf(intent),
    neutral: form.isNeutral,
    droppedParams: [...form.dropped],
    promptTokensEstimate: call.promptTokens,
    providerMs: position.earlierMs + providerMs,
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

/** Returns the time since the request was sent, in milliseconds. */
export const providerMsOf = ({ sentAt }: Pick<SentAttempt, 'sentAt'>): number =>
  performance.now() - sentAt;
