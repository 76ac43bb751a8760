/**
 * Begins the content of a `compaction` item of the gateway: the summary follows as it is, so that
 * any model can read it and a certificate covers it. A provider's own items hold encrypted content.
 */
export const SUMMARY_PREFIX = 'witan-summary:';

/** Returns the summary in the content of a `compaction` item; undefined if it is a provider's. */
export function readSummary(content: string): string | undefined {
  return content.startsWith(SUMMARY_PREFIX) ? content.slice(SUMMARY_PREFIX.length) : undefined;
}
