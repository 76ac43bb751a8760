/**
 * Token counts as a provider reported them. The last three are there only when it said them: 0 is
 * a count, absent is not. They are no part of certificates.
 */
export type ReportedUsage = {
  /** All of the prompt; what came from a cache, or went into one, is in it once. */
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** Of the prompt: read from the provider's cache. */
  cachedTokens?: number;
  /** Of the prompt: written to that cache. */
  cacheWriteTokens?: number;
  /** Of the completion: spent on reasoning. */
  reasoningTokens?: number;
};

/** The counts that were found in an answer, each undefined when it was not there. */
type FoundCounts = Record<keyof ReportedUsage, number | undefined>;

/** What the contract between services holds. */
const TOKENS_MAX = 2 ** 32 - 1;

/**
 * The usage that these counts make; undefined unless both prompt and completion were found. A total
 * that is missing is the sum; counts beyond 2^32-1 are nonsense, and no usage.
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
