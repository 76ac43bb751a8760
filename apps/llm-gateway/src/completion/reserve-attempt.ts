import { isServiceError } from '@witan/contracts';
import { retryLedgerWrite } from './retry-ledger-write.ts';
import { toIntentDraft } from './certify.ts';
import { fitOutput } from './estimate-need.ts';
import { prepareEgress } from './prepare-egress.ts';
import type { Attempt } from './attempt.ts';

/** Refusals after which the ledger holds no tokens for the call. */
const REFUSALS: ReadonlySet<string> = new Set(['INSUFFICIENT_QUOTA', 'RATE_LIMITED', 'CONFLICT']);

/**
 * Writes the intent and holds the tokens that the attempt may use. When fewer tokens are available,
 * the output limit is lowered before anything is sent. Rejects with the ledger's refusal and with
 * LEDGER_UNAVAILABLE. If the outcome is unknown, the reservation is released in the background:
 * nothing will be sent, and the sweeper would otherwise certify it as lost.
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
    await lowerOutputLimit(attempt, fitOutput(need, held));
    await hold(held, held);
  } catch (error) {
    const isRefused = isServiceError(error) && REFUSALS.has(error.reason);
    // Not awaited: if the ledger stays unreachable, the sweeper ends the reservation.
    if (!isRefused)
      retryLedgerWrite(() => ledger.release(workspaceId, intent.proofId)).catch(() => {});
    throw error;
  }
};

const lowerOutputLimit = async (attempt: Attempt, maxOutputTokens: number): Promise<void> => {
  const { call, provider, intent, mask } = attempt;
  const target = { model: intent.target.model, maxOutputTokens, isLimited: true };
  attempt.egress = await prepareEgress(call, provider, target, mask);
  attempt.intent = { ...intent, egress: attempt.egress };
};
