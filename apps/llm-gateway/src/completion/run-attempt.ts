import { isServiceError, ServiceError } from '@witan/contracts';
import { leaveUnmasked } from '../masking/mask-body.ts';
import type { Privacy } from '../masking/mask-body.ts';
import { LOCAL_PROVIDER } from '../provider/target.ts';
import type { Target } from '../provider/target.ts';
import { retryLedgerWrite, CERTIFY_RETRY_MS } from './retry-ledger-write.ts';
import type { CallClock } from './call-clock.ts';
import type { Intent } from './certify.ts';
import { DELIVERY_TIMEOUT_MS } from './delivery-timeout.ts';
import { releaseBody } from './plan-call.ts';
import type { CallContext, PlannedCall } from './plan-call.ts';
import type { Provider, ProviderAnswer } from '../provider/provider.ts';
import { estimateTokenNeed } from './estimate-need.ts';
import { prepareEgress } from './prepare-egress.ts';
import { reserveAttempt } from './reserve-attempt.ts';
import { relayPlain } from './relay-plain.ts';
import { throwRetryableRefusal, relayRefusal } from './relay-refusal.ts';
import { relayStreamed } from './relay-streamed.ts';
import type { Caller, CompletionDeps, CompletionEvent } from './completion.ts';
import { endInFailure } from './certify-ending.ts';
import type { Attempt } from './attempt.ts';

/** Margin between the longest possible call and the sweeper's end of its reservation. */
const SWEEP_MARGIN_MS = 10_000;

type AttemptPosition = {
  target: Target;
  proofId: string;
  index: number;
  isLast: boolean;
  providerMs: number;
};

/**
 * Builds the exact bytes for a target and requests a permit from its circuit breaker. Throws
 * INVALID_REQUEST for a request that the provider's dialect cannot express, PROVIDER_UNREACHABLE
 * while the breaker is open, and INTERNAL when masking fails.
 */
export const prepareAttempt = async (
  call: PlannedCall,
  { target, proofId, index, isLast, providerMs }: AttemptPosition,
  { caller, clock }: { caller: Caller; clock: CallClock },
  deps: CompletionDeps,
): Promise<Attempt> => {
  const { provider, breaker } = call.accessTo(target.provider);
  const { maxOutputTokens, isMetered: isLimited } = deps;
  const context = { workspaceId: caller.workspaceId, signal: clock.signal };
  const mask = maskFor(call, provider, context, deps);
  const egressTarget = { model: target.model, maxOutputTokens, isLimited };
  const egress = await prepareEgress(call, provider, egressTarget, mask);
  const settle = breaker.admit();
  if (!settle) throw circuitOpenError(provider.name);
  const intent: Intent = {
    proofId,
    call,
    target,
    egress,
    reason: index === 0 ? call.route.reason : 'fallback',
  };
  const attempt: Attempt = {
    ...observeAttempt(() => attempt, deps, { index, caller }),
    intent,
    call,
    provider,
    egress,
    mask,
    need: estimateTokenNeed(call, egress, maxOutputTokens),
    ledger: deps.ledger,
    caller,
    isLast,
    isRetryable: (failure) =>
      !isLast && !attempt.isOpened && !clock.signal.aborted && isFailoverError(failure),
    isOpened: false,
    sentAt: 0,
    providerMs,
    settle,
    abandonController: new AbortController(),
  };
  return attempt;
};

const observeAttempt = (
  current: () => Attempt,
  { onAttempt, onEnded }: Pick<CompletionDeps, 'onAttempt' | 'onEnded'>,
  { index, caller }: { index: number; caller: Caller },
): Pick<Attempt, 'record' | 'reportEnd'> => {
  let lastStatus = 0;
  let hasEnded = false;
  return {
    record: (outcome, status) => {
      const { intent, sentAt } = current();
      const { provider, model } = intent.target;
      lastStatus = status;
      onAttempt({
        workspaceId: caller.workspaceId,
        requestId: caller.requestId,
        proofId: intent.proofId,
        provider,
        model,
        attempt: index + 1,
        outcome,
        status,
        durationMs: performance.now() - sentAt,
      });
    },
    reportEnd: (ending, failure) => {
      if (hasEnded) return;
      hasEnded = true;
      const { intent, sentAt } = current();
      const { provider, model } = intent.target;
      onEnded({
        provider,
        model,
        agent: intent.call.address.agent,
        status: lastStatus,
        masked: intent.egress.pii.masked,
        durationMs: performance.now() - sentAt,
        ...(ending ? { ending: { finishReason: ending.finishReason, ...ending.usage } } : {}),
        ...(failure ? { failure } : {}),
      });
    },
  };
};

/**
 * Returns the function that masks bodies for a provider; for the local runtime it changes nothing.
 */
export const maskFor = (
  call: Pick<PlannedCall, 'route' | 'privacy'>,
  { name: provider, dialect }: Pick<Provider, 'name' | 'dialect'>,
  { workspaceId, signal }: CallContext,
  { privacy }: { privacy: Pick<Privacy, 'maskBody'> },
): Attempt['mask'] => {
  if (call.route.isLocal || provider === LOCAL_PROVIDER) return leaveUnmasked;
  const settings = call.privacy;
  return (text) => privacy.maskBody(text, { workspaceId, provider, dialect, settings, signal });
};

/** Reasons of failures after which another provider may succeed. */
const FAILOVER_REASONS: ReadonlySet<string> = new Set([
  'PROVIDER_UNREACHABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_STREAM_CUT',
  'RATE_LIMITED',
]);

/**
 * Returns whether another provider may succeed after this error. With `balance_held`, tokens held
 * by other calls are missing for every provider. `proof_id_released` means that an earlier try of
 * the same call released this attempt and went on to the next target, so this try does too.
 */
export const isFailoverError = (error: unknown): boolean =>
  isServiceError(error) &&
  (error.fields.code === 'proof_id_released' ||
    (FAILOVER_REASONS.has(error.reason) && error.fields.code !== 'balance_held'));

const circuitOpenError = (name: string): ServiceError =>
  new ServiceError(
    'PROVIDER_UNREACHABLE',
    `The model provider ${name} did not answer for a while and is left alone for 10 s.`,
  );

/**
 * Reserves tokens, sends the request and relays the response. Once bytes were sent, the outcome is
 * always certified.
 */
export async function* runAttempt(
  attempt: Attempt,
  clock: CallClock,
  deps: CompletionDeps,
): AsyncGenerator<CompletionEvent> {
  try {
    await reserveAttempt(attempt, expiryOf(attempt.caller, deps));
    if (attempt.isLast) releaseBody(attempt.call);
    const answer = await send(attempt, signalOf(attempt, clock));
    if (answer.status >= 300) {
      if (!attempt.isLast) await throwRetryableRefusal(attempt, answer);
      yield* relayRefusal(attempt, answer);
    } else if (isEventStream(answer)) yield* relayStreamed(attempt, answer);
    else yield* relayPlain(attempt, answer);
  } finally {
    attempt.settle('abandoned');
  }
}

/**
 * Returns the time until the sweeper may end the reservation, in milliseconds: more than the
 * longest possible call.
 */
const expiryOf = ({ awaitDeliveredText }: Caller, { totalTimeoutMs }: CompletionDeps): number =>
  totalTimeoutMs +
  (awaitDeliveredText ? DELIVERY_TIMEOUT_MS : 0) +
  CERTIFY_RETRY_MS +
  SWEEP_MARGIN_MS;

/**
 * Returns the signal that aborts an attempt. An attempt with a fallback can also be abandoned in
 * favour of it.
 */
const signalOf = ({ isLast, abandonController }: Attempt, { signal }: CallClock): AbortSignal =>
  isLast ? signal : AbortSignal.any([signal, abandonController.signal]);

const send = async (attempt: Attempt, signal: AbortSignal): Promise<ProviderAnswer> => {
  const { provider, egress, call, settle } = attempt;
  if (signal.aborted) {
    await releaseUnsent(attempt);
    throw signal.reason as unknown;
  }
  const { input } = call;
  // Headers and query belong to the client's dialect and are not sent in another one.
  const { headers, query } =
    input.form === 'wire' && !egress.isNeutral ? input : { headers: {}, query: '' };
  attempt.sentAt = performance.now();
  call.sent += 1;
  try {
    const answer = await provider.complete({ body: egress.bytes, headers, query, signal });
    settle('answered');
    attempt.record('answered', answer.status);
    return answer;
  } catch (error) {
    const reason = isServiceError(error) ? error.reason : 'INTERNAL';
    const isUnresponsive = reason === 'PROVIDER_UNREACHABLE' || reason === 'PROVIDER_TIMEOUT';
    settle(isUnresponsive && !attempt.caller.signal.aborted ? 'failed' : 'abandoned');
    attempt.record(reason, 0);
    attempt.providerMs += performance.now() - attempt.sentAt;
    const isUnsent = isServiceError(error) && error.fields.unsent === 'true';
    if (reason !== 'PROVIDER_UNREACHABLE' && !isUnsent) {
      throw await endInFailure(attempt, undefined, error);
    }
    call.sent -= 1;
    attempt.reportEnd(undefined, reason);
    await releaseUnsent(attempt);
    throw error;
  }
};

/**
 * Releases the reservation of an attempt that sent no bytes; no certificate is written. If the
 * ledger stays unreachable, the sweeper ends the reservation.
 */
const releaseUnsent = async ({ ledger, intent }: Attempt): Promise<void> => {
  const release = (): Promise<void> => ledger.release(intent.call.workspaceId, intent.proofId);
  try {
    await release();
  } catch {
    // Not awaited, so that the client receives the failure at once.
    retryLedgerWrite(release).catch(() => {});
  }
};

const isEventStream = (answer: ProviderAnswer): boolean =>
  /^text\/event-stream/i.test(answer.headers['content-type'] ?? '');
