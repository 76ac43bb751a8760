const TRAILING_HIGH_SURROGATE = /[\ud800-\udbff]$/;

/**
 * Returns a model's text trimmed, with at most `lengthMax` UTF-16 units, and without NUL and lone
 * surrogates, which some stores and clients reject.
 */
export const cleanText = (text: string, lengthMax: number): string =>
  text
    .replaceAll('\0', '')
    .toWellFormed()
    .trim()
    .slice(0, lengthMax)
    .replace(TRAILING_HIGH_SURROGATE, '')
    .trimEnd();
