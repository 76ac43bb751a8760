/**
 * Token counts that a provider reported; not part of a certificate. The last three are absent if
 * the provider did not report them; 0 means that it reported 0.
 */
export type ReportedUsage = {
  /** Tokens of the whole prompt, including those that were read from or written to a cache. */
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  cachedTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
};

type FoundCounts = Record<keyof ReportedUsage, number | undefined>;

/** Maximum count, because the contract between services uses 32-bit integers. */
const TOKENS_MAX = 2 ** 32 - 1;

/**
 * Returns undefined if the prompt count or the completion count is missing, or if a count exceeds
 * 2^32-1. If the total is missing, it is the sum of both.
 */
export function toReportedUsage(found: FoundCounts): ReportedUsage | undefined {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = found;
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const totalTokens = found.totalTokens ?? promptTokens + completionTokens;
  const usage: ReportedUsage = { promptTokens, completionTokens, totalTokens };
  if (cachedTokens !== undefined) usage.cachedTokens = cachedTokens;
  if (cacheWriteTokens !== undefined) usage.cacheWriteTokens = cacheWriteTokens;
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens;
  return Object.values(usage).every((count) => count <= TOKENS_MAX) ? usage : undefined;
}
