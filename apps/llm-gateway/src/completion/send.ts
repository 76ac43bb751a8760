import { isServiceError } from '@witan/contracts';
import type { AnswerSink } from '@witan/contracts';
import type { ProviderAnswer, Stop } from '../provider/provider.ts';
import type { BrokenAttempt, ReservedAttempt, SentAttempt } from './attempt.ts';
import type { Caller, CompletionDeps } from './completion.ts';
import { toSentFailure, toUnsentFailure } from './outcome.ts';
import type { FailedAttempt } from './outcome.ts';
import { toBroken, toReport } from './ending.ts';
import { releaseAttempt } from './record.ts';

type SendDeps = Pick<CompletionDeps, 'ledger' | 'onAttempt' | 'onEnded'>;

/**
 * Reserved -> sent: sends the bytes and resolves with the provider's status. If no byte was sent,
 * the reservation is released and no certificate is written. A crash here costs the answer: the
 * sweeper certifies the call as `lost`, because the provider may have received it.
 */
export const sendAttempt = async (
  reserved: ReservedAttempt,
  { caller, stop, sink }: { caller: Caller; stop: Stop; sink: AnswerSink },
  deps: SendDeps,
): Promise<SentAttempt | BrokenAttempt | FailedAttempt> => {
  const { position, intent, provider, dialect, egress, headers, query } = reserved;
  if (stop.reason !== undefined) {
    await releaseAttempt(reserved, deps.ledger);
    return { state: 'unsent', failure: toUnsentFailure(stop.reason), providerMs: 0 };
  }
  const sentAt = performance.now();
  let answer: ProviderAnswer;
  try {
    answer = await provider.complete({ dialect, body: egress.bytes, headers, query, stop });
  } catch (error) {
    return await failSending(reserved, { error, caller, stop, sentAt }, deps);
  }
  reserved.settle('answered');
  const outcome = answer.status < 400 ? 'answered' : 'refused';
  record(reserved, { caller, sentAt, outcome, status: answer.status }, deps);
  const { redactError } = provider;
  const { isNeutral, hasSchema, dropped, restorer } = egress;
  const { client, wantsJson, wantsUsage, vectorRequest } = intent.call;
  const form = {
    dialect,
    redactError,
    client,
    wantsJson,
    wantsUsage,
    vectorRequest,
    isNeutral,
    hasSchema,
    dropped,
    restorer,
  };
  return { state: 'sent', position, intent, form, answer, sentAt, stop, sink };
};

const failSending = async (
  reserved: ReservedAttempt,
  { error, caller, stop, sentAt }: { error: unknown; caller: Caller; stop: Stop; sentAt: number },
  deps: SendDeps,
): Promise<BrokenAttempt | FailedAttempt> => {
  const { intent } = reserved;
  const failure = toSentFailure(error);
  const { reason } = failure.error;
  const isUnresponsive = reason === 'PROVIDER_UNREACHABLE' || reason === 'PROVIDER_TIMEOUT';
  reserved.settle(isUnresponsive && !caller.signal.aborted ? 'failed' : 'abandoned');
  record(reserved, { caller, sentAt, outcome: reason, status: 0 }, deps);
  const providerMs = performance.now() - sentAt;
  if (!isUnsent(error)) {
    return toBroken({ intent, sentAt, stop }, { error, providerMs });
  }
  deps.onEnded(toReport({ intent, sentAt, status: 0 }, undefined, reason));
  await releaseAttempt(reserved, deps.ledger);
  return { state: 'unsent', failure, providerMs };
};

/**
 * Returns whether no byte was sent: always after PROVIDER_UNREACHABLE; a provider marks other such
 * failures, for example an abort, with the field `unsent`.
 */
const isUnsent = (error: unknown): boolean =>
  isServiceError(error) &&
  (error.reason === 'PROVIDER_UNREACHABLE' || error.fields.unsent === 'true');

const record = (
  { position, intent, provider }: ReservedAttempt,
  sending: { caller: Caller; sentAt: number; outcome: string; status: number },
  { onAttempt }: SendDeps,
): void => {
  const { caller, sentAt, outcome, status } = sending;
  onAttempt({
    workspaceId: caller.workspaceId,
    requestId: caller.requestId,
    proofId: intent.proofId,
    provider: intent.target.provider,
    isOwn: provider.redactError === undefined,
    model: intent.target.model,
    attempt: position.index + 1,
    outcome,
    status,
    durationMs: Math.round(performance.now() - sentAt),
  });
};
