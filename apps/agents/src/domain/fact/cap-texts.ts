/** Longest input of an extraction, all texts together, in UTF-16 units: one long message. */
export const EXTRACTED_LENGTH_MAX = 32_000;

/**
 * Returns the newest texts within the limit, oldest first; the oldest may be cut. Blank texts are
 * dropped.
 */
export const capTexts = (texts: readonly string[], max = EXTRACTED_LENGTH_MAX): string[] => {
  const capped: string[] = [];
  let left = max;
  for (const text of texts.toReversed()) {
    if (left === 0) break;
    if (text.trim() === '') continue;
    // The cut may split a surrogate pair.
    const read = text.slice(0, left).toWellFormed();
    left -= read.length;
    capped.unshift(read);
  }
  return capped;
};
