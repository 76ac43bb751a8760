import { invalidRequest, ServiceError } from '@witan/contracts';
import type { CompleteRequest } from '@witan/contracts';
import type { ProviderAnswer } from '../provider/provider.ts';
import type { AnsweredAttempt, BrokenAttempt, PlannedAttempt, SentAttempt } from './attempt.ts';
import type { Caller, CompletionDeps, CompletionEvent } from './completion.ts';
import { deliverAnswer, endBroken, failCall } from './end-attempt.ts';
import type { AnsweredCall, EndedCall } from './end-attempt.ts';
import { judgeAttempt, mayFallBack } from './outcome.ts';
import type { CallPosition, FailedAttempt, FailedCall } from './outcome.ts';
import { planAttempt } from './plan-attempt.ts';
import { planCall } from './plan-call.ts';
import { relayPlain } from './relay/relay-plain.ts';
import { relayRefusal } from './relay/relay-refusal.ts';
import { relayStreamed } from './relay/relay-streamed.ts';
import { CERTIFY_RETRY_MS, reserveAttempt } from './record.ts';
import { sendAttempt } from './send-attempt.ts';

/** Milliseconds between the end of the longest possible call and the expiry of its reservation. */
const SWEEP_MARGIN_MS = 10_000;

/**
 * Runs one attested completion (README, Life of a completion). Yields `opened`, then `wire`, `part`
 * or `refused`, then `completed` events, and returns how the call ended. If nothing was sent, no
 * certificate is written; a later failure is returned once its certificate is durable or could not
 * be written. Throws INVALID_REQUEST if the request has an `answerProofId`, and what `planCall`
 * throws. Must be read to its end, so that every sent attempt is certified.
 */
export async function* runCompletion(
  request: CompleteRequest,
  caller: Caller,
  deps: CompletionDeps,
): AsyncGenerator<CompletionEvent, EndedCall | FailedCall> {
  if (request.answerProofId !== '') {
    throw invalidRequest('Only CompleteAs takes an answer_proof_id.');
  }
  const answered = yield* answerCall(request, { caller, deliveryMs: 0 }, deps);
  return answered.state === 'answered' ? yield* deliverAnswer(answered, deps.ledger) : answered;
}

type AnswerOptions = {
  caller: Caller;
  /**
   * Milliseconds that may pass between the answer and its certificate, by which the reservation
   * lasts longer.
   */
  deliveryMs: number;
};

/**
 * Runs a call until its provider has finished. Yields the answer as it arrives, and returns it
 * without its certificate; a failed attempt is certified if it was sent.
 */
export async function* answerCall(
  request: CompleteRequest,
  { caller, deliveryMs }: AnswerOptions,
  deps: CompletionDeps,
): AsyncGenerator<CompletionEvent, AnsweredCall | FailedCall> {
  using timeout = startCallTimeout(caller.signal, deps.totalTimeoutMs);
  const expiresInMs = deps.totalTimeoutMs + deliveryMs + CERTIFY_RETRY_MS + SWEEP_MARGIN_MS;
  const reserved = Promise.withResolvers<true>();
  const onReserved = (): void => reserved.resolve(true);
  const context = { caller, signal: timeout.signal, expiresInMs, onReserved };
  const opening = openAnswer(request, context, deps);
  if (request.announcesReserved) {
    // The reader may leave at the event below, and then nothing else handles a failure.
    void Promise.allSettled([opening]);
    const isReserved = await Promise.race([reserved.promise, opening.then(() => false)]);
    if (isReserved) yield { event: { case: 'reserved', value: {} } };
  }
  const call = await opening;
  if (call.state === 'failed') return call;
  const { earlier } = call;
  let attempt: AnsweredAttempt | BrokenAttempt;
  if (call.state === 'opened') {
    await using rest = call.rest;
    yield call.first;
    attempt = yield* rest;
  } else attempt = call;
  deps.onEnded(attempt.report);
  if (attempt.state === 'answered') {
    const { contextTokens, intent } = attempt;
    if (contextTokens !== undefined) deps.onContext(intent.target, contextTokens);
    return { ...attempt, earlier };
  }
  return failCall(earlier, await endBroken(attempt, deps), attempt.intent);
}

type CallTimeout = Disposable & { signal: AbortSignal };

/**
 * Starts a signal that aborts with the client's signal and its reason, or after `totalMs` with
 * PROVIDER_TIMEOUT.
 */
const startCallTimeout = (client: AbortSignal, totalMs: number): CallTimeout => {
  const controller = new AbortController();
  const onClientGone = (): void => controller.abort(client.reason);
  if (client.aborted) onClientGone();
  else client.addEventListener('abort', onClientGone, { once: true });
  const timer = setTimeout(() => controller.abort(timedOut()), totalMs);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      client.removeEventListener('abort', onClientGone);
    },
  };
};

const timedOut = (): ServiceError =>
  new ServiceError('PROVIDER_TIMEOUT', 'The model provider did not finish in time.');

/** An answer whose first event the client may receive, so that no fallback can follow. */
type OpenedAttempt = {
  state: 'opened';
  first: CompletionEvent;
  rest: AsyncGenerator<CompletionEvent, AnsweredAttempt | BrokenAttempt>;
};

type RunContext = {
  caller: Caller;
  signal: AbortSignal;
  expiresInMs: number;
  /** Called whenever the tokens of an attempt are reserved. */
  onReserved: () => void;
};

/**
 * Tries the targets in order, each once, until one answers or the call fails. An attempt that sent
 * bytes and failed gets a certificate. A call with one target is not retried, because the client's
 * SDK does that. Only this function references the request's body, so that its memory can be freed
 * while the answer is relayed. A target that refuses the JSON Schema of an own call is tried once
 * more, with the schema as text.
 */
const openAnswer = async (
  request: CompleteRequest,
  context: RunContext,
  deps: CompletionDeps,
): Promise<((OpenedAttempt | AnsweredAttempt) & Pick<AnsweredCall, 'earlier'>) | FailedCall> => {
  const { caller, signal } = context;
  const { workspaceId, actorId } = caller;
  const planning = { workspaceId, actorId, signal };
  const call = await planCall(request, planning, deps);
  const { announcedId } = call.summary;
  const targets = [...call.route.targets];
  let earlier: FailedCall | undefined;
  let attempts = 0;
  let earlierMs = 0;
  let repeated = 0;
  let isSchemaRefused = false;
  // A target that refuses the schema of the answer is inserted again after the current one.
  for (const [step, target] of targets.entries()) {
    const index = step - repeated;
    const isLast = step === targets.length - 1;
    const proofId = attemptIdOf(call.proofId, attempts);
    const attemptPosition = { target, proofId, index, isLast, earlierMs, isSchemaRefused };
    const planned = await planAttempt(call, attemptPosition, planning, deps);
    const started =
      planned.state === 'planned' ? await startAttempt(planned, context, deps) : planned;
    if (started.state === 'opened' || started.state === 'answered') {
      // A target that refuses the call without the schema, too, has another reason.
      if (isSchemaRefused && !isRefusal(started)) {
        const { provider } = call.accessTo(target.provider);
        deps.schemas.onRefused({ workspaceId, provider, model: target.model });
      }
      return { ...started, earlier };
    }
    isSchemaRefused = started.state === 'broken' && started.refusesSchema === true;
    if (isSchemaRefused) {
      targets.splice(step + 1, 0, target);
      repeated += 1;
    }
    const position = { isLast: isLast && !isSchemaRefused, isStopped: signal.aborted };
    const failed =
      started.state === 'broken' ? await endUnopened(started, position, deps) : started;
    const next = { ...position, isStopped: signal.aborted, announcedId };
    const judged = judgeAttempt(earlier, failed, next);
    if (!judged.triesNext) return judged.failed;
    earlier = judged.failed;
    attempts += planned.state === 'planned' ? 1 : 0;
    earlierMs += failed.providerMs;
  }
  throw new Error('A route has at least one target.');
};

const isRefusal = (started: OpenedAttempt | AnsweredAttempt): boolean =>
  started.state === 'answered' && started.report.status >= 400;

/**
 * Returns the id of an attempt. The first attempt has the caller's id; later ones derive theirs
 * from it, so that a retried call finds the attempts of its first try.
 */
const attemptIdOf = (proofId: string, attempts: number): string =>
  attempts === 0 ? proofId : `${proofId}f${attempts}`;

/** Ends an attempt of which the client received nothing. */
const endUnopened = async (
  broken: BrokenAttempt,
  position: CallPosition,
  { onEnded, ledger }: CompletionDeps,
): Promise<FailedAttempt> => {
  onEnded(broken.report);
  return await endBroken(broken, { ledger, mayFallBack: mayFallBack(broken.failure, position) });
};

/** Runs a planned attempt until the first event of a streamed answer, or else until its end. */
const startAttempt = async (
  planned: PlannedAttempt,
  { expiresInMs, onReserved, ...context }: RunContext,
  deps: CompletionDeps,
): Promise<OpenedAttempt | AnsweredAttempt | BrokenAttempt | FailedAttempt> => {
  try {
    const reserved = await reserveAttempt(planned, deps.ledger, expiresInMs);
    if (reserved.state !== 'reserved') return reserved;
    onReserved();
    const sent = await sendAttempt(reserved, context, deps);
    return sent.state === 'sent' ? await startRelay(sent) : sent;
  } finally {
    // Has no effect after the provider responded or failed.
    planned.settle('abandoned');
  }
};

const startRelay = async (
  sent: SentAttempt,
): Promise<OpenedAttempt | AnsweredAttempt | BrokenAttempt> => {
  if (sent.answer.status >= 300) return await relayRefusal(sent);
  // There are no streams of embeddings.
  if (sent.form.vectorRequest || !isEventStream(sent.answer)) return await relayPlain(sent);
  const rest = relayStreamed(sent);
  const { done, value } = await rest.next();
  return done ? value : { state: 'opened', first: value, rest };
};

const isEventStream = ({ headers }: ProviderAnswer): boolean =>
  /^text\/event-stream/i.test(headers['content-type'] ?? '');
