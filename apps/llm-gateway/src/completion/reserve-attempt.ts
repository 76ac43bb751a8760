import { isServiceError } from '@witan/contracts';
import type { PlannedAttempt, ReservedAttempt } from './attempt.ts';
import { retryLedgerWrite, toIntentDraft } from './certify.ts';
import type { LedgerClient } from '@witan/contracts';
import { fitOutput } from './estimate-tokens.ts';
import { toUnsentFailure } from './outcome.ts';
import type { FailedAttempt, Failure } from './outcome.ts';
import { commitmentOf } from './plan-attempt.ts';

/** Reasons with which the ledger refuses a reservation, so that there is none to release. */
const REFUSALS: ReadonlySet<string> = new Set(['INSUFFICIENT_QUOTA', 'RATE_LIMITED', 'CONFLICT']);

/**
 * Planned -> reserved: writes the intent and holds the tokens that the attempt may use. When fewer
 * tokens are available, the output limit is lowered before anything is sent. Fails, for example,
 * with the ledger's refusal or LEDGER_UNAVAILABLE. A crash here costs the tokens until the
 * reservation expires; then the sweeper certifies the call as `lost`, although nothing was sent.
 */
export const reserveAttempt = async (
  planned: PlannedAttempt,
  ledger: LedgerClient,
  expiresInMs: number,
): Promise<ReservedAttempt | FailedAttempt> => {
  const { need, limitOutput, ...attempt } = planned;
  const hold = async (
    { intent }: Pick<PlannedAttempt, 'intent'>,
    amount: number,
    minimum = amount,
  ) =>
    await ledger.reserve(intent.call.workspaceId, {
      intent: toIntentDraft(intent),
      expiresInMs,
      amount,
      minimum,
    });
  try {
    const held = await hold(attempt, need.amount, need.minimum);
    if (held === undefined || held >= need.amount) return { ...attempt, state: 'reserved' };
    const egress = await limitOutput(fitOutput(need, held));
    const intent = { ...attempt.intent, egress: commitmentOf(egress) };
    await hold({ intent }, held);
    return { ...attempt, state: 'reserved', egress, intent };
  } catch (error) {
    const isRefused = isServiceError(error) && REFUSALS.has(error.reason);
    // The reservation may exist. It is released because nothing will be sent, and the sweeper would
    // certify the call as `lost`.
    if (!isRefused) releaseInBackground(planned, ledger);
    return toUnreserved(toUnsentFailure(error));
  }
};

/**
 * Returns the failure, and decides whether the next target may be tried. After `balance_held` it
 * may not, because other calls hold tokens that every provider would need. After
 * `proof_id_released` it may, because an earlier try of the same call released this attempt and
 * went on to the next target. `proof` is the certificate of an earlier try.
 */
const toUnreserved = (failure: Failure): FailedAttempt => {
  const { code, proof } = failure.error.fields;
  const isFailover =
    code === 'proof_id_released' || (failure.isFailover && code !== 'balance_held');
  const named = proof ? { proofId: proof } : {};
  return { state: 'unsent', failure: { ...failure, isFailover }, ...named, providerMs: 0 };
};

/**
 * Ends the reservation of an attempt that sent no bytes; no certificate is written. If that fails,
 * it is retried in the background, so that the client receives the attempt's failure at once.
 */
export const releaseAttempt = async (
  attempt: Pick<ReservedAttempt, 'intent'>,
  ledger: LedgerClient,
): Promise<void> => {
  const { call, proofId } = attempt.intent;
  try {
    await ledger.release(call.workspaceId, proofId);
  } catch {
    releaseInBackground(attempt, ledger);
  }
};

/** If the ledger stays unreachable, the sweeper ends the reservation. */
const releaseInBackground = (
  { intent }: Pick<ReservedAttempt, 'intent'>,
  ledger: LedgerClient,
): void => {
  const { call, proofId } = intent;
  retryLedgerWrite(() => ledger.release(call.workspaceId, proofId)).catch(() => {});
};
