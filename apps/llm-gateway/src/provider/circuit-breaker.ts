export type CallOutcome =
  | 'answered'
  | 'failed'
  /** The call shows nothing about the provider, for example because the caller disconnected. */
  | 'abandoned';

export type CircuitBreaker = {
  /**
   * Returns a function that must be called with the outcome of the call; undefined if the breaker
   * admits no call.
   */
  admit: () => ((outcome: CallOutcome) => void) | undefined;
  readonly state: 'closed' | 'open' | 'half-open';
};

const CONSECUTIVE_FAILURES_MAX = 20;
const WINDOW_MS = 30_000;
const WINDOW_CALLS_MIN = 40;
const WINDOW_FAILED_SHARE = 0.5;
const COOLDOWN_MS = 10_000;
const SLICES = 10;
const SLICE_MS = WINDOW_MS / SLICES;

type Slice = { startedAt: number; calls: number; failures: number };

/**
 * Creates a breaker that opens after 20 consecutive failures, or when at least half of 40 or more
 * calls in about the last 30 s failed. After 10 s it admits a probe, and another one every 10 s, or
 * at once after an abandoned one. A successful probe closes the breaker; a failed one leaves it
 * open for 10 s more. `clock` returns milliseconds.
 */
export const createCircuitBreaker = (clock: () => number): CircuitBreaker => {
  let consecutiveFailures = 0;
  let slices: Slice[] = [];
  let openedAt: number | undefined;
  let probedAt = -Infinity;

  const count = (failed: boolean): void => {
    const now = clock();
    slices = slices.filter(({ startedAt }) => now - startedAt < WINDOW_MS);
    let slice = slices.at(-1);
    if (!slice || now - slice.startedAt >= SLICE_MS) {
      slice = { startedAt: now, calls: 0, failures: 0 };
      slices.push(slice);
    }
    slice.calls += 1;
    slice.failures += failed ? 1 : 0;
    consecutiveFailures = failed ? consecutiveFailures + 1 : 0;
  };
  const mustOpen = (): boolean => {
    const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
    const failures = slices.reduce((sum, slice) => sum + slice.failures, 0);
    const isRateExceeded = calls >= WINDOW_CALLS_MIN && failures >= calls * WINDOW_FAILED_SHARE;
    return consecutiveFailures >= CONSECUTIVE_FAILURES_MAX || isRateExceeded;
  };
  const close = (): void => {
    openedAt = undefined;
    probedAt = -Infinity;
    consecutiveFailures = 0;
    slices = [];
  };
  const settle = (outcome: CallOutcome, isProbe: boolean): void => {
    if (outcome === 'abandoned') {
      // The probe was inconclusive, so the next call may be a probe.
      if (isProbe) probedAt = -Infinity;
    } else if (openedAt === undefined) {
      count(outcome === 'failed');
      if (mustOpen()) openedAt = clock();
    } else if (isProbe && outcome === 'answered') close();
    else if (isProbe) openedAt = clock();
    // Outcomes of calls that were sent before the breaker opened are ignored.
  };
  const isCoolingDown = (): boolean => {
    const since = openedAt === undefined ? -Infinity : Math.max(openedAt, probedAt);
    return clock() - since < COOLDOWN_MS;
  };
  return {
    get state() {
      if (openedAt === undefined) return 'closed';
      return isCoolingDown() && probedAt < openedAt ? 'open' : 'half-open';
    },
    admit: () => {
      const isProbe = openedAt !== undefined;
      if (isProbe && isCoolingDown()) return undefined;
      // The cooldown starts with the probe, so a slow one delays the next by at most one cooldown.
      if (isProbe) probedAt = clock();
      let isSettled = false;
      return (outcome) => {
        if (isSettled) return;
        isSettled = true;
        settle(outcome, isProbe);
      };
    },
  };
};
