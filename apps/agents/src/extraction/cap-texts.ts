/**
 * Maximum total length of the texts of an extraction, in UTF-16 units; equal to the limit of one
 * chat message.
 */
export const EXTRACTED_LENGTH_MAX = 32_000;

/**
 * Returns the newest of `texts`, which are in chronological order, up to a total length of `max`;
 * the oldest of those may be truncated. Blank texts are dropped.
 */
export const capTexts = (texts: readonly string[], max = EXTRACTED_LENGTH_MAX): string[] => {
  const capped: string[] = [];
  let left = max;
  for (const text of texts.toReversed()) {
    if (left === 0) break;
    if (text.trim() === '') continue;
    // `toWellFormed` replaces half of a surrogate pair, which truncation may leave.
    const read = text.slice(0, left).toWellFormed();
    left -= read.length;
    capped.unshift(read);
  }
  return capped;
};
