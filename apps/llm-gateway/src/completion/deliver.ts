import { ServiceError } from '@witan/contracts';
import type { AnswerCompleted, AnswerSink, LedgerClient } from '@witan/contracts';
import type { AnswerChoice } from '@witan/proof';
import type { AnsweredAttempt, BrokenAttempt, Ending, Intent } from './attempt.ts';
import { certify } from './record.ts';
import type { Certification } from './record.ts';
import type { Caller } from './completion.ts';
import { endIdOf, hasToolCalls } from './ending.ts';
import { judgeAttempt, toSentFailure } from './outcome.ts';
import type { FailedAttempt, FailedCall } from './outcome.ts';

/** An answer without its certificate, and the failure of the attempts before it, if any. */
export type AnsweredCall = AnsweredAttempt & { earlier: FailedCall | undefined };

/** The certificate is durable. */
export type EndedCall = { state: 'ended'; completed: AnswerCompleted };

/**
 * Broken -> failed: certifies the part that was delivered, under the attempt's own id if a fallback
 * may follow, otherwise under the id that the client knows. A crash here costs the reason of the
 * failure: the sweeper certifies the call as `lost`.
 */
export const endBroken = async (
  { intent, report, ending, failure, providerMs }: BrokenAttempt,
  { ledger, mayFallBack = false }: { ledger: LedgerClient; mayFallBack?: boolean },
): Promise<FailedAttempt> => {
  const id = mayFallBack ? intent.proofId : endIdOf(intent);
  const written = await certify(ledger, intent, { ...ending, ...timeOf(report) }, id);
  const { proofId } = written;
  return written.state === 'failed'
    ? toUncertified(written)
    : { state: 'failed', failure, proofId, mayFallBack, providerMs };
};

/**
 * Returns the failure of an attempt whose certificate was not written, or not under the id that the
 * client knows. No fallback follows it.
 */
const toUncertified = ({
  error,
  proofId,
}: Exclude<Certification, { state: 'durable' }>): FailedAttempt => ({
  state: 'failed',
  failure: { error, isFailover: false },
  proofId,
  mayFallBack: false,
  providerMs: 0,
});

/** Returns the failure of a call after an attempt that no fallback follows. */
export const failCall = (
  earlier: FailedCall | undefined,
  attempt: FailedAttempt,
  { call: { announcedId } }: Pick<Intent, 'call'>,
): FailedCall =>
  judgeAttempt(earlier, attempt, { announcedId, isLast: true, isStopped: true }).failed;

/**
 * Answered -> ended, or failed if the certificate is not written under its id: certifies the
 * answer, with `choices` instead of the provider's if the caller edited them. An answer with tool
 * calls has the attempt's own id, because the final answer follows later under the announced one. A
 * crash before the certificate is durable costs the answer: the sweeper certifies the call as
 * `lost`. A later crash costs only the events that were not sent.
 */
const endAnswered = async (
  { intent, report, ending, stopSequence, earlier }: AnsweredCall,
  ledger: LedgerClient,
  choices: AnswerChoice[] = ending.choices,
): Promise<EndedCall | FailedCall> => {
  const id = hasToolCalls(choices) ? intent.proofId : endIdOf(intent);
  const written = await certify(ledger, intent, { ...ending, choices, ...timeOf(report) }, id);
  if (written.state !== 'durable') return failCall(earlier, toUncertified(written), intent);
  const { finishReason, usage } = ending;
  const { proofId } = written;
  return { state: 'ended', completed: { proofId, finishReason, usage, stopSequence } };
};

/**
 * Answered -> failed, for an answer whose delivered text the caller did not report: certifies the
 * provider's answer as `aborted`.
 */
const endUndelivered = async (
  { intent, report, ending, earlier }: AnsweredCall,
  ledger: LedgerClient,
  error: unknown,
): Promise<FailedCall> => {
  const aborted = { ...ending, finishReason: 'aborted' } as const;
  const failure = { ...toSentFailure(error), isFailover: false };
  const ended = { intent, report, ending: aborted, failure };
  const broken = { ...ended, state: 'broken', isOpened: true, providerMs: 0 } as const;
  return failCall(earlier, await endBroken(broken, { ledger }), intent);
};

/**
 * Ends an answered call whose text was not edited: writes the certificate, and sends the rest of
 * the answer once it is durable.
 */
export const deliverAnswer = async (
  answered: AnsweredCall,
  sink: AnswerSink,
  ledger: LedgerClient,
): Promise<EndedCall | FailedCall> => {
  const ended = await endAnswered(answered, ledger);
  if (ended.state === 'ended') sendAll(answered, sink);
  return ended;
};

const sendAll = ({ opened, sendRest }: AnsweredCall, sink: AnswerSink): void => {
  if (opened) sink.opened(opened);
  sendRest(sink);
};

/** Maximum time for a caller to report the delivered text, in milliseconds. */
export const DELIVERY_TIMEOUT_MS = 10_000;

type Editing = { caller: Caller; sink: AnswerSink; edit: NonNullable<AnswerSink['ending']> };

/**
 * Ends an answered call whose caller edits the text (README, Life of an edited answer): sends the
 * rest, and certifies the text that the caller says its client received.
 */
export const deliverEdited = async (
  answered: AnsweredCall,
  { caller, sink, edit }: Editing,
  ledger: LedgerClient,
): Promise<EndedCall | FailedCall> => {
  sendAll(answered, sink);
  const { ending, stopSequence } = answered;
  const { finishReason, usage } = ending;
  return await awaitCaller(edit({ finishReason, usage, stopSequence }), caller.signal).then(
    (text) => {
      // An answer does not distinguish an empty text from null.
      const content = text || null;
      return endAnswered(answered, ledger, [{ index: 0, content, toolCalls: [] }]);
    },
    (error: unknown) => endUndelivered(answered, ledger, error),
  );
};

/**
 * Waits for what a caller must send: rejects with the reason when its call is aborted, and with
 * DEADLINE_EXCEEDED after `DELIVERY_TIMEOUT_MS`.
 */
export const awaitCaller = async <T>(sent: Promise<T>, signal: AbortSignal): Promise<T> => {
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(signal.reason);
  const timer = setTimeout(() => stopped.reject(callerTimedOut()), DELIVERY_TIMEOUT_MS);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([sent, stopped.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
};

const callerTimedOut = (): ServiceError =>
  new ServiceError(
    'DEADLINE_EXCEEDED',
    `CompleteAs received no message from its caller for ${DELIVERY_TIMEOUT_MS} ms.`,
  );

const timeOf = ({ durationMs }: AnsweredAttempt['report']): Pick<Ending, 'durationMs'> => ({
  durationMs,
});
