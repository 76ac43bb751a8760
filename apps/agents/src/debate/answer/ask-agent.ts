import { setTimeout as sleep } from 'node:timers/promises';
import { isServiceError, toGeneratedTokens } from '@witan/contracts';
import { NO_USAGE } from '@witan/dialects';
import type { Caller, ModelCall } from '@witan/dialects';
import type { LimitsOf } from '../../completion/model-limits.ts';
import { toAgentAddress } from '../../turn/turn.ts';
import { askForAnswer } from './ask-for-answer.ts';
import type { AskForAnswerDeps } from './ask-for-answer.ts';
import { countMoves } from '../convergence/stance-agreement.ts';
import type { Absence, Answer } from '../debate.ts';
import { LeaseLostError } from '../record/debate-store.ts';
import { OUTPUT_TOKENS_MAX, prepareAnswer } from './prepare-answer.ts';
import type { AnswerSource } from './prepare-answer.ts';

export type AgentRequest = Omit<AnswerSource, 'contextTokens' | 'ratio' | 'now'> & {
  isSensitive: boolean;
  requestSha256: string;
  timeoutMs: number;
  debateStartedAt: Date;
  /** Answer of the agent in the previous round. */
  lastAnswer: Answer | undefined;
  onDelta: (text: string) => void;
};

export type Reply = { answer: Answer } | { absence: Absence; error: unknown };

export type AskAgentDeps = Omit<AskForAnswerDeps, 'onDelta'> & {
  limitsOf: LimitsOf;
  ratioOf: (model: string) => number;
  learn: (model: string, counts: { estimated: number; actual: number }) => void;
  clock: () => Date;
  retryAfterMs?: number;
};

/** Time of a debate that answers on a slow local runtime leave for the synthesis. */
const SYNTHESIS_MS = 120_000;
/** Length of a usual prompt of a debate, in tokens. */
const PROMPT_TOKENS = 2_000;
const RETRY_TIME_MIN_MS = 2_000;
const RETRY_AFTER_MS = 250;
const RETRY_AFTER_MAX_MS = 10_000;
/**
 * Maximum number of retries while an internal service is unavailable. With exponential backoff they
 * span about 16 s, longer than a service usually takes to restart.
 */
const INTERNAL_RETRIES_MAX = 6;

/**
 * Asks one agent for its answer. Within `timeoutMs`, retries once if a provider fails, is rate
 * limited or returns an invalid answer, and several times if an internal service is unavailable.
 * Resolves with an absence on failure; rejects only if the caller aborts or with `LeaseLostError`.
 */
export const askAgent = async (
  request: AgentRequest,
  caller: Caller,
  deps: AskAgentDeps,
): Promise<Reply> => {
  const { member, task, isSensitive } = request;
  const { agent } = member;
  const limits = await deps.limitsOf({ address: toAgentAddress(agent, isSensitive) }, caller);
  const startedAt = deps.clock().getTime();
  const timeoutMs = limits.toTimeoutMs(request.timeoutMs, {
    tokens: toGeneratedTokens(PROMPT_TOKENS, OUTPUT_TOKENS_MAX),
    parallel: task.agentCount,
    spentMs: startedAt - request.debateStartedAt.getTime() + SYNTHESIS_MS,
  });
  const endsAt = startedAt + timeoutMs;
  const limit = AbortSignal.timeout(timeoutMs);
  const limited = { ...caller, signal: AbortSignal.any([caller.signal, limit]) };
  try {
    const bounded = { ...request, contextTokens: limits.contextTokens };
    return { answer: await askWithRetries(bounded, endsAt, limited, deps) };
  } catch (error) {
    if (caller.signal.aborted || error instanceof LeaseLostError) throw error;
    const reason = limit.aborted ? 'timeout' : reasonOf(error);
    return { absence: { agentId: agent.id, agentName: agent.name, reason }, error };
  }
};

type BoundedRequest = AgentRequest & { contextTokens: number };

const askWithRetries = async (
  request: BoundedRequest,
  endsAt: number,
  caller: Caller,
  deps: AskAgentDeps,
): Promise<Answer> => {
  const { retryAfterMs = RETRY_AFTER_MS } = deps;
  let isLast = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      // A retry emits no deltas, because they would repeat text that the first attempt emitted.
      const onDelta = attempt === 0 ? request.onDelta : () => {};
      return await askOnce({ ...request, onDelta }, caller, deps);
    } catch (error) {
      const isInternal = isServiceError(error) && RETRYABLE_INTERNAL.has(error.reason);
      const afterMs = isInternal ? retryAfterMs * 2 ** attempt : retryAfterOf(error, retryAfterMs);
      const isLate = deps.clock().getTime() + (afterMs ?? 0) + RETRY_TIME_MIN_MS > endsAt;
      const isLastAttempt = isInternal ? attempt === INTERNAL_RETRIES_MAX : isLast;
      if (caller.signal.aborted || afterMs === undefined || isLate || isLastAttempt) throw error;
      isLast ||= !isInternal;
      await sleep(afterMs, undefined, { signal: caller.signal }).catch(() =>
        caller.signal.throwIfAborted(),
      );
    }
  }
};

const askOnce = async (
  request: BoundedRequest,
  caller: Caller,
  deps: AskAgentDeps,
): Promise<Answer> => {
  const { member, task } = request;
  const { agent } = member;
  const { clock } = deps;
  const ratio = deps.ratioOf(agent.model);
  const prepared = prepareAnswer({ ...request, ratio, now: clock() });
  const { prompt, grounding } = prepared;
  const call = toCall(request, { proofId: deps.newId('pf'), prompt, grounding });
  const received = await askForAnswer(call, task, caller, {
    ...deps,
    onDelta: request.onDelta,
  });
  const { answer } = received;
  const changedMind = countMoves(request.lastAnswer, answer) > 0;
  deps.learn(agent.model, { estimated: prepared.estimatedTokens, actual: received.promptTokens });
  return {
    agentId: agent.id,
    agentName: agent.name,
    ...answer,
    changedMind,
    changeReason: changedMind ? answer.changeReason : '',
    finishReason: received.finishReason,
    isStale: false,
    proofIds: received.proofIds,
    usage: received.usage,
  };
};

const toCall = (
  { member: { agent }, isSensitive, requestSha256 }: AgentRequest,
  parts: Pick<ModelCall, 'proofId' | 'prompt' | 'grounding'>,
): ModelCall => ({
  ...parts,
  requestSha256,
  purpose: 'debate',
  address: toAgentAddress(agent, isSensitive),
});

const RETRYABLE_INTERNAL: ReadonlySet<string> = new Set(['UNAVAILABLE', 'LEDGER_UNAVAILABLE']);

const RETRYABLE: ReadonlySet<string> = new Set([
  ...RETRYABLE_INTERNAL,
  'PROVIDER_UNREACHABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_STREAM_CUT',
  'PROVIDER_INVALID_ANSWER',
]);

const retryAfterOf = (error: unknown, retryAfterMs: number): number | undefined => {
  if (!isServiceError(error) || error.fields.empty === 'true') return undefined;
  if (RETRYABLE.has(error.reason)) return retryAfterMs;
  if (error.reason !== 'RATE_LIMITED') return undefined;
  const seconds = Number(error.fields.retryAfter ?? '1');
  const afterMs = Number.isFinite(seconds) ? seconds * 1_000 : RETRY_AFTER_MAX_MS;
  return afterMs <= RETRY_AFTER_MAX_MS ? Math.max(retryAfterMs, afterMs) : undefined;
};

const reasonOf = (error: unknown): Absence['reason'] =>
  isServiceError(error) && !RETRYABLE.has(error.reason) ? 'refused' : 'unavailable';

export const toStaleAnswer = (answer: Answer): Answer => ({
  ...answer,
  changedMind: false,
  changeReason: '',
  isStale: true,
  proofIds: [],
  usage: NO_USAGE,
});
