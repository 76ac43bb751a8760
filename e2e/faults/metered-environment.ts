import { AUDIT_INTERVAL_MS } from './completions/read-book-faults.ts';

/** Far above what a run uses and holds: no call is refused or made shorter for want of tokens. */
const OPENING_CREDIT = 1_000_000_000_000;

/** Of a metered system that looks after its books often; completions take so long at most. */
export const meteredEnvironment = (completionTimeoutMs: number) => ({
  WITAN_COMPLETION_TIMEOUT_MS: String(completionTimeoutMs),
  WITAN_SWEEP_INTERVAL_MS: '200',
  WITAN_AUDIT_INTERVAL_MS: String(AUDIT_INTERVAL_MS),
  METERING: 'metered',
  WITAN_OPENING_CREDIT: String(OPENING_CREDIT),
  LOG_LEVEL: 'warn',
});
