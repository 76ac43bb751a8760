import type { CompletionEvent } from './run-completion.ts';
import type { ProviderAnswer } from './ports.ts';
import type { Run } from './seal-ending.ts';

/** Headers of a provider that help its client: pacing and retry advice (gateway.md rule 9). */
const PASSED = /^(retry-after|retry-after-ms|x-should-retry|x-ratelimit-[a-z-]+)$/;

/** The event that opens an answer: who answered, the status and the headers for the client. */
export const openedEvent = (
  { intent }: Run,
  answer: ProviderAnswer,
  streamed: boolean,
): CompletionEvent => {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).filter(([name]) => PASSED.test(name)),
  );
  const upstreamId = answer.headers['x-request-id'];
  if (upstreamId) headers['x-upstream-request-id'] = upstreamId;
  const { provider, model } = intent.route;
  const { status } = answer;
  return { event: { case: 'opened', value: { provider, model, status, headers, streamed } } };
};

/** The event that carries bytes of the answer. */
export const wireEvent = (bytes: Uint8Array): CompletionEvent => ({
  event: { case: 'wire', value: bytes },
});
