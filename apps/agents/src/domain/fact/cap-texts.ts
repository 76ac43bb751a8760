/**
 * Longest input of an extraction, all texts together, in UTF-16 units: as long as the longest
 * message.
 */
export const EXTRACTED_LENGTH_MAX = 32_000;

/**
 * Returns the newest texts within the limit, in chronological order; the oldest of them may be
 * truncated. Blank texts are dropped.
 */
export const capTexts = (texts: readonly string[], max = EXTRACTED_LENGTH_MAX): string[] => {
  const capped: string[] = [];
  let left = max;
  for (const text of texts.toReversed()) {
    if (left === 0) break;
    if (text.trim() === '') continue;
    // Truncation may split a surrogate pair, which must not reach the model.
    const read = text.slice(0, left).toWellFormed();
    left -= read.length;
    capped.unshift(read);
  }
  return capped;
};
