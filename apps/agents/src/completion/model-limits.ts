import type { Caller, ModelCall } from '@witan/dialects';

/** Limits of the model that a call will probably reach. */
export type ModelLimits = {
  /** Context window, in tokens; the prompt and the answer share it. */
  contextTokens: number;
  /**
   * Returns the time limit of a call. A hosted model has `hostedMs`. The local runtime has what its
   * measured speed suggests for `tokens` generated tokens of each of the `parallel` calls, but at
   * least `hostedMs`. `spentMs` of the maximum are already used, because a client waits for several
   * calls in a row no longer than for one.
   */
  toTimeoutMs: (
    hostedMs: number,
    need: { tokens: number; parallel?: number; spentMs?: number },
  ) => number;
};

export type LimitsOf = (
  call: Pick<ModelCall, 'address' | 'purpose'>,
  caller: Pick<Caller, 'workspaceId'>,
) => Promise<ModelLimits>;

export type LimitSettings = {
  /** Context window that is assumed for every model, and the maximum that is used. */
  contextTokens: number;
  /** Time limit of calls to the local runtime; undefined to derive it from its speed. */
  localTimeoutMs?: number | undefined;
  /** Maximum of derived time limits. */
  completionTimeoutMs: number;
};

export type ReportedLimits = { local: boolean; contextTokens: number; tokenMs: number };

/** Factor for what a measured mean does not contain: longer queues, reloads, other processes. */
const MARGIN = 3;

export const toModelLimits = (
  { local, contextTokens, tokenMs }: ReportedLimits,
  settings: LimitSettings,
): ModelLimits => ({
  contextTokens:
    contextTokens > 0 ? Math.min(contextTokens, settings.contextTokens) : settings.contextTokens,
  toTimeoutMs: (hostedMs, { tokens, parallel = 1, spentMs = 0 }) => {
    if (!local) return hostedMs;
    if (settings.localTimeoutMs !== undefined) return settings.localTimeoutMs;
    const longestMs = settings.completionTimeoutMs - spentMs;
    // Nothing is known of a runtime before its first call, which may also load the model.
    if (tokenMs === 0) return Math.max(hostedMs, longestMs);
    const expectedMs = Math.ceil(tokenMs * tokens * parallel * MARGIN);
    return Math.max(hostedMs, Math.min(longestMs, expectedMs));
  },
});
