import { toModelLimits } from '../src/completion/model-limits.ts';
import type { LimitsOf } from '../src/completion/model-limits.ts';

/** Returns the limits of hosted models with a context window. */
export const fixedLimits = (contextTokens = 128_000): LimitsOf => {
  const reported = { local: false, contextTokens: 0, tokenMs: 0 };
  return async () => toModelLimits(reported, { contextTokens, completionTimeoutMs: 600_000 });
};
