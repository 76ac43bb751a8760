import { isServiceError } from '@witan/contracts';

/**
 * Maximum time to retry a ledger write, in milliseconds. A finished answer is delayed by as much
 * while the ledger is unreachable.
 */
export const CERTIFY_RETRY_MS = 10_000;
const RETRY_MIN_MS = 25;
const RETRY_MAX_MS = 1_000;

/**
 * Retries a write that is idempotent by proof id while the ledger is unreachable, with increasing
 * delays, for 10 s. Rejects with the last LEDGER_UNAVAILABLE, or at once with any other error.
 */
export const retryLedgerWrite = async <T>(write: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + CERTIFY_RETRY_MS;
  for (let waitMs = RETRY_MIN_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
    try {
      return await write();
    } catch (error) {
      const isRetryable = isServiceError(error) && error.reason === 'LEDGER_UNAVAILABLE';
      if (!isRetryable || performance.now() + waitMs > deadline) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, waitMs);
    });
  }
};
