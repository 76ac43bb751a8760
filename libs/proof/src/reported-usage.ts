/**
 * Token counts reported by a provider; not part of certificates. The last three are absent if the
 * provider did not report them; 0 is a reported count.
 */
export type ReportedUsage = {
  /** Tokens of the whole prompt, including those read from or written to a cache. */
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  cachedTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
};

type FoundCounts = Record<keyof ReportedUsage, number | undefined>;

/** Counts are 32-bit in the contract between services. */
const TOKENS_MAX = 2 ** 32 - 1;

/**
 * Returns undefined if the prompt or the completion count is missing, or if a count exceeds 2^32-1.
 * A missing total is the sum of both.
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
