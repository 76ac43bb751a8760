import { isServiceError } from '@witan/contracts';
import { retryLedgerWrite } from './retry-ledger-write.ts';
import { toIntentDraft } from './certify.ts';
import { fitOutput } from './estimate-need.ts';
import { prepareEgress } from './prepare-egress.ts';
import type { Attempt } from './run-attempt.ts';

/** The ledger's own words that it holds nothing for the call. */
const REFUSALS: ReadonlySet<string> = new Set(['INSUFFICIENT_QUOTA', 'RATE_LIMITED', 'CONFLICT']);

/**
 * Writes the intent and holds the tokens that the attempt may use. When fewer are there, the call
 * is made to fit: its output limit is lowered before anything is sent. Rejects with what the ledger
 * refuses it for, and LEDGER_UNAVAILABLE. When nobody knows whether it was written, it is released
 * in the background: nothing will be sent, and the sweeper would certify it as lost.
 */
export const reserveAttempt = async (attempt: Attempt, expiresInMs: number): Promise<void> => {
  const { ledger, need, intent } = attempt;
  const { workspaceId } = intent.call;
  const hold = (amount: number, minimum: number): Promise<number | undefined> =>
    ledger.reserve(workspaceId, {
      intent: toIntentDraft(attempt.intent),
      expiresInMs,
      amount,
      minimum,
    });
  try {
    const held = await hold(need.amount, need.minimum);
    if (held === undefined || held >= need.amount) return;
    await shrink(attempt, fitOutput(need, held));
    await hold(held, held);
  } catch (error) {
    const isRefused = isServiceError(error) && REFUSALS.has(error.reason);
    // Rejects when the ledger stays away for longer; then the sweeper has the last word.
    if (!isRefused)
      retryLedgerWrite(() => ledger.release(workspaceId, intent.proofId)).catch(() => {});
    throw error;
  }
};

/** Prepares the attempt's bytes anew, with a lower limit of the answer. */
const shrink = async (attempt: Attempt, maxOutputTokens: number): Promise<void> => {
  const { call, provider, intent, mask } = attempt;
  const target = { model: intent.target.model, maxOutputTokens, isLimited: true };
  attempt.egress = await prepareEgress(call, provider, target, mask);
  attempt.intent = { ...intent, egress: attempt.egress };
};
