import type { LimitsService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { toModelLimits } from '../model-limits.ts';
import type { LimitSettings, LimitsOf, ReportedLimits } from '../model-limits.ts';

/** The runtime has two seconds to describe its model. */
const TIMEOUT_MS = 5_000;
const UNKNOWN: ReportedLimits = { local: false, contextTokens: 0, tokenMs: 0 };

/**
 * Returns a `LimitsOf` that asks the llm-gateway. If that fails, the limits are those of a hosted
 * model, because the call itself reports the failure.
 */
export const createLimitsOf =
  (limits: Client<typeof LimitsService>, settings: LimitSettings): LimitsOf =>
  async ({ address, purpose = '' }, { workspaceId }) => {
    const options = { workspaceId, timeoutMs: TIMEOUT_MS };
    const reported = await limits
      .getModelLimits({ address, purpose }, options)
      .catch(() => UNKNOWN);
    return toModelLimits(reported, settings);
  };
