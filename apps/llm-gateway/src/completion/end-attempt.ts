import type { AnswerChoice } from '@witan/proof';
import { endIdOf } from './attempt.ts';
import type { AnsweredAttempt, BrokenAttempt, Ending, Intent } from './attempt.ts';
import { certify } from './record.ts';
import type { Certification } from './record.ts';
import type { LedgerClient } from '@witan/contracts';
import type { CompletionEvent } from './completion.ts';
import { judgeAttempt, toSentFailure } from './outcome.ts';
import type { FailedAttempt, FailedCall } from './outcome.ts';
import { hasToolCalls } from './relay/end-relay.ts';

/** An answer without its certificate, and the failure of the attempts before it, if any. */
export type AnsweredCall = AnsweredAttempt & { earlier: FailedCall | undefined };

/** The certificate is durable; `completed` is the last event of the call. */
export type EndedCall = { state: 'ended'; completed: CompletionEvent };

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
export const endAnswered = async (
  { intent, report, ending, stopSequence, earlier }: AnsweredCall,
  ledger: LedgerClient,
  choices: AnswerChoice[] = ending.choices,
): Promise<EndedCall | FailedCall> => {
  const id = hasToolCalls(choices) ? intent.proofId : endIdOf(intent);
  const written = await certify(ledger, intent, { ...ending, choices, ...timeOf(report) }, id);
  if (written.state !== 'durable') return failCall(earlier, toUncertified(written), intent);
  const { finishReason, usage } = ending;
  const value = { proofId: written.proofId, finishReason, usage, stopSequence };
  return { state: 'ended', completed: { event: { case: 'completed', value } } };
};

/**
 * Answered -> failed, for an answer whose delivered text the caller did not report: certifies the
 * provider's answer as `aborted`.
 */
export const endUndelivered = async (
  { intent, report, ending, earlier }: AnsweredCall,
  ledger: LedgerClient,
  error: unknown,
): Promise<FailedCall> => {
  const aborted = { ...ending, finishReason: 'aborted' } as const;
  const failure = { ...toSentFailure(error), isFailover: false };
  const ended = { intent, report, ending: aborted, failure };
  const broken = { ...ended, state: 'broken', providerMs: 0 } as const;
  return failCall(earlier, await endBroken(broken, { ledger }), intent);
};

/**
 * Ends an answered call whose text was not edited: writes the certificate, and yields the last
 * events once it is durable.
 */
export async function* deliverAnswer(
  answered: AnsweredCall,
  ledger: LedgerClient,
): AsyncGenerator<CompletionEvent, EndedCall | FailedCall> {
  const ended = await endAnswered(answered, ledger);
  if (ended.state === 'failed') return ended;
  yield* answered.last;
  yield ended.completed;
  return ended;
}

const timeOf = ({ durationMs }: AnsweredAttempt['report']): Pick<Ending, 'durationMs'> => ({
  durationMs,
});
