/** Longest that an extractor reads, of all texts together, in UTF-16 units: one long message. */
export const EXTRACTED_LENGTH_MAX = 32_000;

/**
 * The texts, oldest first, that an extractor reads: as many of the newest as keep within the limit,
 * and of the one that does not its beginning. Blank ones are left out.
 */
export const capTexts = (texts: readonly string[], max = EXTRACTED_LENGTH_MAX): string[] => {
  const capped: string[] = [];
  let left = max;
  for (const text of texts.toReversed()) {
    if (left === 0) break;
    if (text.trim() === '') continue;
    // The cut may go through a pair.
    const read = text.slice(0, left).toWellFormed();
    left -= read.length;
    capped.unshift(read);
  }
  return capped;
};
