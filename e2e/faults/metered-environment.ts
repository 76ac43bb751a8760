import { AUDIT_INTERVAL_MS } from './completions/read-ledger-violations.ts';

/**
 * Exceeds the tokens that any run uses, so that the balance neither refuses nor shortens a call.
 */
const OPENING_CREDIT = 1_000_000_000_000;

/** Returns environment variables for metered calls with frequent audits and sweeps. */
export const meteredEnvironment = (completionTimeoutMs: number) => ({
  WITAN_COMPLETION_TIMEOUT_MS: String(completionTimeoutMs),
  WITAN_SWEEP_INTERVAL_MS: '200',
  WITAN_AUDIT_INTERVAL_MS: String(AUDIT_INTERVAL_MS),
  METERING: 'metered',
  WITAN_OPENING_CREDIT: String(OPENING_CREDIT),
  LOG_LEVEL: 'warn',
});
