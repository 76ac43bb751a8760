import { cancelled, invalidRequest, isServiceError, ServiceError } from '@witan/contracts';
import type { AnswerCompleted, AnswerSink, CompletionCall } from '@witan/contracts';
import type { ProviderAnswer, Stop } from '../provider/provider.ts';
import type {
  AnsweredAttempt,
  BrokenAttempt,
  PlannedAttempt,
  ReservedAttempt,
  SentAttempt,
} from './attempt.ts';
import type { Caller, CompletionDeps } from './completion.ts';
import { planAttempt } from './egress.ts';
import {
  DELIVERY_TIMEOUT_MS,
  deliverAnswer,
  deliverEdited,
  endBroken,
  failCall,
} from './deliver.ts';
import type { AnsweredCall } from './deliver.ts';
import { judgeAttempt, mayFallBack } from './outcome.ts';
import type { CallPosition, FailedAttempt, FailedCall } from './outcome.ts';
import { planCall } from './plan.ts';
import type { PlannedCall } from './plan.ts';
import { relayPlain } from './relay-plain.ts';
import { relayRefusal } from './relay-refusal.ts';
import { relayStreamed } from './relay.ts';
import { CERTIFY_RETRY_MS, reserveAttempt } from './record.ts';
import { sendAttempt } from './send.ts';

/** Milliseconds between the end of the longest possible call and the expiry of its reservation. */
const SWEEP_MARGIN_MS = 10_000;

/**
 * Runs one attested completion (README, Life of a completion): routes and masks the call, reserves
 * its tokens, sends it to one target after another until one answers, and passes the answer to
 * `sink` as it arrives; its end is held back until the certificate is durable. Rejects with a
 * ServiceError whose field `proof` names the certificate of a call that failed after it was sent,
 * and with what `planCall` throws. The body of the call is emptied when its answer is opened.
 */
export const complete = async (
  call: CompletionCall,
  caller: Caller,
  sink: AnswerSink,
  deps: CompletionDeps,
): Promise<AnswerCompleted> => {
  if (!caller.workspaceId) throw invalidRequest('A completion needs a workspace.');
  if (call.answerProofId !== '' && !sink.ending) {
    throw invalidRequest('Only CompleteAs takes an answer_proof_id.');
  }
  const { stop, close } = openStop(caller.signal, deps.totalTimeoutMs);
  const answered = await answerCall(call, { caller, stop, sink }, deps).finally(close);
  if (answered.state === 'failed') throw toServiceError(answered);
  const ended =
    answered.isEditable && sink.ending
      ? await deliverEdited(answered, { caller, sink, edit: sink.ending }, deps.ledger)
      : await deliverAnswer(answered, sink, deps.ledger);
  if (ended.state === 'failed') throw toServiceError(ended);
  return ended.completed;
};

/**
 * Opens the `Stop` of a call. Its reason is DEADLINE_EXCEEDED at the caller's deadline,
 * PROVIDER_TIMEOUT after `totalMs`, and CANCELLED when the caller leaves.
 */
const openStop = (client: AbortSignal, totalMs: number): { stop: Stop; close: () => void } => {
  const stop: Stop = { reason: undefined, onStop: undefined };
  const end = (reason: unknown): void => {
    if (stop.reason !== undefined) return;
    stop.reason = reason;
    stop.onStop?.(reason);
  };
  const onClientGone = (): void => end(toStopReason(client.reason));
  if (client.aborted) onClientGone();
  else client.addEventListener('abort', onClientGone, { once: true });
  const timer = setTimeout(() => end(timedOut()), totalMs);
  const close = (): void => {
    clearTimeout(timer);
    client.removeEventListener('abort', onClientGone);
  };
  return { stop, close };
};

const toStopReason = (reason: unknown): ServiceError =>
  isServiceError(reason) && reason.reason === 'DEADLINE_EXCEEDED' ? reason : cancelled();

const timedOut = (): ServiceError =>
  new ServiceError('PROVIDER_TIMEOUT', 'The model provider did not finish in time.');

type RunContext = { caller: Caller; stop: Stop; sink: AnswerSink };

/**
 * Tries the targets in order, each once, until one answers or the call fails. An attempt that sent
 * bytes and failed gets a certificate. A call with one target is not retried, because the client's
 * SDK does that. A target that refuses the JSON Schema of an own call is tried once more, with the
 * schema as text.
 */
const answerCall = async (
  request: CompletionCall,
  context: RunContext,
  deps: CompletionDeps,
): Promise<AnsweredCall | FailedCall> => {
  const { caller, stop } = context;
  const { workspaceId, actorId, signal } = caller;
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
    const attempt =
      planned.state === 'planned'
        ? await runAttempt(planned, releasing(context, call, planned), deps)
        : planned;
    const isOpened =
      attempt.state === 'answered' || (attempt.state === 'broken' && attempt.isOpened);
    // A target that refuses the call without the schema, too, has another reason.
    if (isOpened && isSchemaRefused && attempt.report.status < 400) {
      const { provider } = call.accessTo(target.provider);
      deps.schemas.onRefused({ workspaceId, provider, model: target.model });
    }
    if (attempt.state === 'answered') {
      reportAnswered(attempt, deps);
      return { ...attempt, earlier };
    }
    if (attempt.state === 'broken' && attempt.isOpened) {
      deps.onEnded(attempt.report);
      return failCall(earlier, await endBroken(attempt, deps), attempt.intent);
    }
    isSchemaRefused = attempt.state === 'broken' && attempt.refusesSchema === true;
    if (isSchemaRefused) {
      targets.splice(step + 1, 0, target);
      repeated += 1;
    }
    const position = { isLast: isLast && !isSchemaRefused, isStopped: stop.reason !== undefined };
    const failed =
      attempt.state === 'broken' ? await endUnopened(attempt, position, deps) : attempt;
    const next = { ...position, isStopped: stop.reason !== undefined, announcedId };
    const judged = judgeAttempt(earlier, failed, next);
    if (!judged.triesNext) return judged.failed;
    earlier = judged.failed;
    attempts += planned.state === 'planned' ? 1 : 0;
    earlierMs += failed.providerMs;
  }
  throw new Error('A route has at least one target.');
};

/**
 * Returns the context with a sink that frees the request when the answer opens, because no other
 * target can follow and the answer may stream for minutes.
 */
const releasing = (
  { sink, ...context }: RunContext,
  { input }: PlannedCall,
  { egress }: PlannedAttempt,
): RunContext => ({
  ...context,
  sink: {
    ...sink,
    opened: (opened) => {
      egress.bytes = NO_BYTES;
      if (input.form === 'wire')
        Object.assign(input.body, { bytes: NO_BYTES, text: '', value: {} });
      sink.opened(opened);
    },
  },
});

const NO_BYTES = new Uint8Array();

/**
 * Returns the id of an attempt. The first attempt has the caller's id; later ones derive theirs
 * from it, so that a retried call finds the attempts of its first try.
 */
const attemptIdOf = (proofId: string, attempts: number): string =>
  attempts === 0 ? proofId : `${proofId}f${attempts}`;

const reportAnswered = (
  { report, contextTokens, intent }: AnsweredAttempt,
  { onEnded, onContext }: CompletionDeps,
): void => {
  onEnded(report);
  if (contextTokens !== undefined) onContext(intent.target, contextTokens);
};

/** Ends an attempt of which the client received nothing. */
const endUnopened = async (
  broken: BrokenAttempt,
  position: CallPosition,
  { onEnded, ledger }: CompletionDeps,
): Promise<FailedAttempt> => {
  onEnded(broken.report);
  return await endBroken(broken, { ledger, mayFallBack: mayFallBack(broken.failure, position) });
};

/** Reserves, sends and relays a planned attempt. */
const runAttempt = async (
  planned: PlannedAttempt,
  context: RunContext,
  deps: CompletionDeps,
): Promise<AnsweredAttempt | BrokenAttempt | FailedAttempt> => {
  const deliveryMs = context.sink.ending ? DELIVERY_TIMEOUT_MS : 0;
  const expiresInMs = deps.totalTimeoutMs + deliveryMs + CERTIFY_RETRY_MS + SWEEP_MARGIN_MS;
  try {
    const reserved = await reserveAttempt(planned, deps.ledger, expiresInMs);
    if (reserved.state !== 'reserved') return reserved;
    context.sink.reserved?.();
    return await sendReserved(reserved, context, deps);
  } finally {
    // Has no effect after the provider responded or failed.
    planned.settle('abandoned');
  }
};

const sendReserved = async (
  reserved: ReservedAttempt,
  context: RunContext,
  deps: CompletionDeps,
): Promise<AnsweredAttempt | BrokenAttempt | FailedAttempt> => {
  const sent = await sendAttempt(reserved, context, deps);
  return sent.state === 'sent' ? await relay(sent) : sent;
};

const relay = (sent: SentAttempt): Promise<AnsweredAttempt | BrokenAttempt> => {
  if (sent.answer.status >= 300) return relayRefusal(sent);
  // There are no streams of embeddings.
  const isStream = !sent.form.vectorRequest && isEventStream(sent.answer);
  return isStream ? relayStreamed(sent) : relayPlain(sent);
};

const isEventStream = ({ headers }: ProviderAnswer): boolean =>
  /^text\/event-stream/i.test(headers['content-type'] ?? '');

/**
 * Returns the failure with the fields on which callers can act: `proof` names its certificate,
 * `unsent` means that no provider received the call, `retryAfter` is the provider's advice. Fields
 * of the ledger, such as `code`, stay.
 */
export const toServiceError = ({ failure, proofId, isUnsent }: FailedCall): ServiceError => {
  const { error, retryAfter } = failure;
  const { unsent: _unsent, ...fields } = error.fields;
  return new ServiceError(error.reason, error.message, {
    cause: error.cause,
    fields: {
      ...fields,
      ...(retryAfter ? { retryAfter } : {}),
      ...(proofId ? { proof: proofId } : {}),
      ...(isUnsent ? { unsent: 'true' } : {}),
    },
  });
};
