/** A high surrogate left alone by the cut. */
const CUT_HALF = /[\ud800-\udbff]$/;

/**
 * Returns text of a model that every store and client accepts: without NUL and lone surrogates,
 * trimmed, at most `lengthMax` UTF-16 units.
 */
export const cleanText = (text: string, lengthMax: number): string =>
  text
    .replaceAll('\0', '')
    .toWellFormed()
    .trim()
    .slice(0, lengthMax)
    .replace(CUT_HALF, '')
    .trimEnd();
