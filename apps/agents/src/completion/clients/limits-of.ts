import type { LimitsService } from '@witan/contracts/services';
import type { Client, Log } from '@witan/service-kit';
import { toModelLimits } from '../model-limits.ts';
import type { LimitSettings, LimitsOf, ReportedLimits } from '../model-limits.ts';

/** The runtime has two seconds to describe its model. */
const TIMEOUT_MS = 5_000;
const UNKNOWN: ReportedLimits = { local: false, contextTokens: 0, tokenMs: 0 };

/**
 * Returns a `LimitsOf` that asks the llm-gateway. If that fails, the limits are those of a hosted
 * model: the call itself fails too, or is made with these.
 */
export const createLimitsOf =
  (
    limits: Client<typeof LimitsService>,
    settings: LimitSettings,
    log: Pick<Log, 'warn'>,
  ): LimitsOf =>
  async ({ address, purpose = '' }, { workspaceId }) => {
    const options = { workspaceId, timeoutMs: TIMEOUT_MS };
    const reported = await limits
      .getModelLimits({ address, purpose }, options)
      .catch((err: unknown) => {
        log.warn(
          { event: 'model_limits_unknown', err, workspaceId },
          'The llm-gateway did not report the limits of a model; those of a hosted model apply',
        );
        return UNKNOWN;
      });
    return toModelLimits(reported, settings);
  };
