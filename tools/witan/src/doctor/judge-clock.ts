import { fail, ok, warn } from './check.ts';
import type { Check } from './check.ts';

/** Clock skew from which services refuse callers' tokens; see caller-token.ts in service-kit. */
const OFFSET_MAX_MS = 5_000;
const OFFSET_WARN_MS = 1_000;

/** A header `date` has whole seconds, and the response may have been on its way for a second. */
export const DATE_UNCERTAINTY_MS = 2_000;

/**
 * Judges the difference of another clock from that of this machine. It is counted beyond its
 * uncertainty, for example the time of the round trip.
 */
export const judgeOffset = (
  name: string,
  { offsetMs, uncertaintyMs, of }: { offsetMs: number; uncertaintyMs: number; of: string },
): Check => {
  const beyondMs = Math.max(0, Math.abs(offsetMs) - uncertaintyMs);
  const seconds = `${(Math.abs(offsetMs) / 1_000).toFixed(1)} s`;
  const message = `The clock of ${of} is ${seconds} ${offsetMs > 0 ? 'ahead' : 'behind'}.`;
  const advice = 'Synchronize the clocks (NTP): tokens between services expire after a minute.';
  if (beyondMs > OFFSET_MAX_MS) return fail(name, { message, advice });
  if (beyondMs > OFFSET_WARN_MS) return warn(name, { message, advice });
  return ok(
    name,
    `differs by less than ${((beyondMs + uncertaintyMs) / 1_000 + 0.1).toFixed(1)} s`,
  );
};
