import { isServiceError } from '@witan/contracts';
import type { AnswerOpened } from '@witan/contracts';
import type { AnswerChoice, FinishReason, ReportedUsage } from '@witan/proof';
import type { ProviderAnswer } from '../provider/provider.ts';
import type { AnsweredAttempt, BrokenAttempt, Ending, Intent, SentAttempt } from './attempt.ts';
import type { EndedAttempt } from './completion.ts';
import { estimateTokens } from './plan.ts';
import { toSentFailure } from './outcome.ts';

/** The part of an answer that the client received, or will receive with the last events. */
export type Delivered = {
  choices: () => AnswerChoice[];
  vectors?: () => string[];
  readonly usage: ReportedUsage | undefined;
  readonly contentBytes: number;
};

type Finished = Pick<AnsweredAttempt, 'stopSequence' | 'opened' | 'sendRest'> & {
  finishReason: FinishReason;
};

/** Sent -> answered. A crash here costs the answer: the sweeper certifies the call as `lost`. */
export const toAnswered = (
  sent: SentAttempt,
  delivered: Delivered,
  { finishReason, ...rest }: Finished,
): AnsweredAttempt => {
  const { intent } = sent;
  const ending = toEnding(delivered, finishReason, intent.call.promptTokens);
  const report = toReport({ ...sent, status: sent.answer.status }, ending);
  const isEditable = !hasToolCalls(ending.choices);
  return { state: 'answered', intent, report, ending, ...rest, isEditable };
};

/** Sent -> answered, for a provider's error response that is relayed. */
export const toRefused = (
  sent: SentAttempt,
  rest: Pick<AnsweredAttempt, 'opened' | 'sendRest' | 'contextTokens'>,
): AnsweredAttempt => ({
  state: 'answered',
  intent: sent.intent,
  report: toReport({ ...sent, status: sent.answer.status }, PROVIDER_REFUSAL, 'PROVIDER_REFUSED'),
  ending: PROVIDER_REFUSAL,
  stopSequence: '',
  ...rest,
  isEditable: false,
});

export const hasToolCalls = (choices: readonly AnswerChoice[]): boolean =>
  choices.some(({ toolCalls }) => toolCalls.length > 0);

/** The ending of an error response: no content, and no tokens are charged. */
const PROVIDER_REFUSAL: Ending = {
  choices: [],
  finishReason: 'error',
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0, estimated: true },
};

type Sending = Pick<SentAttempt, 'intent' | 'sentAt' | 'stop'> & {
  answer?: { status: number };
};

type Break = {
  error: unknown;
  providerMs: number;
  /** The part that the client received; absent if it received nothing. */
  delivered?: Delivered;
  isRefusal?: boolean;
};

/**
 * Sent -> broken. Once the client received a part, no other provider can answer. A crash here costs
 * the failure: the sweeper certifies the call as `lost`.
 */
export const toBroken = (
  { intent, sentAt, stop, answer }: Sending,
  { error, providerMs, delivered, isRefusal = false }: Break,
): BrokenAttempt => {
  const failure = toSentFailure(error);
  const finishReason: FinishReason = isCancelled(stop.reason) ? 'aborted' : 'error';
  const ending = isRefusal
    ? { ...PROVIDER_REFUSAL, finishReason }
    : toEnding(delivered, finishReason, intent.call.promptTokens);
  return {
    state: 'broken',
    intent,
    report: toReport({ intent, sentAt, status: answer?.status ?? 0 }, ending, failure.error.reason),
    ending,
    failure: delivered ? { ...failure, isFailover: false } : failure,
    isOpened: delivered !== undefined,
    providerMs,
  };
};

const isCancelled = (reason: unknown): boolean =>
  isServiceError(reason) && reason.reason === 'CANCELLED';

/**
 * Returns the content, finish reason and usage to certify. Usage is estimated if the provider
 * reported none.
 */
const toEnding = (
  delivered: Delivered | undefined,
  finishReason: FinishReason,
  promptTokens: number,
): Ending => {
  const choices = delivered?.choices() ?? [];
  const reported = delivered?.usage;
  const vectors = delivered?.vectors?.();
  if (reported) return { choices, vectors, finishReason, usage: { ...reported, estimated: false } };
  const completionTokens = estimateTokens(textBytes(choices));
  const totalTokens = promptTokens + completionTokens;
  return {
    choices,
    vectors,
    finishReason,
    usage: { promptTokens, completionTokens, totalTokens, estimated: true },
  };
};

/**
 * Returns the number of UTF-8 bytes in an answer's text and tool calls. `contentBytes` is larger,
 * because it measures memory.
 */
const textBytes = (choices: readonly AnswerChoice[]): number => {
  const texts = choices.flatMap(({ content, toolCalls }) => [
    content ?? '',
    ...toolCalls.flatMap((call) => [call.name, call.arguments]),
  ]);
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
};

/**
 * Returns the report of an ended attempt for metrics and traces. `ending` is absent if nothing was
 * sent to the provider.
 */
export const toReport = (
  { intent, sentAt, status }: { intent: Intent; sentAt: number; status: number },
  ending?: Ending,
  failure?: string,
): EndedAttempt => ({
  operation: intent.call.client === 'embeddings' ? 'embeddings' : 'chat',
  provider: intent.target.provider,
  model: intent.target.model,
  agent: intent.call.address.agent,
  status,
  masked: intent.egress.pii.masked,
  isStreamed: intent.call.isStreamed,
  durationMs: performance.now() - sentAt,
  ...(ending ? { ending: { finishReason: ending.finishReason, ...ending.usage } } : {}),
  ...(failure ? { failure } : {}),
});

const FORWARDED_HEADERS =
  /^(retry-after|retry-after-ms|x-should-retry|(x|anthropic)-ratelimit-[a-z\d-]+)$/;

/**
 * Returns the id that the client knows for the certificate: the announced one, if a service
 * announced one, otherwise the attempt's own.
 */
export const endIdOf = ({ proofId, call }: Pick<Intent, 'proofId' | 'call'>): string =>
  call.announcedId || proofId;

/** Returns the opening of an answer, with the certificate's id that the client knows. */
export const toOpened = (
  { position, intent, form, answer }: SentAttempt,
  { streamed, providerMs }: { streamed: boolean; providerMs: number },
): AnswerOpened => {
  const { target, call } = intent;
  return {
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

/** Returns the time since the request was sent, in milliseconds. */
export const providerMsOf = ({ sentAt }: Pick<SentAttempt, 'sentAt'>): number =>
  performance.now() - sentAt;
