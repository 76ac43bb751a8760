/** The first half of a character of two units, which the cut has left alone. */
const CUT_HALF = /[\ud800-\udbff]$/;

/**
 * What a model wrote as every store, protocol and client can hold it: without NUL and halves of
 * characters, trimmed, and no longer than that many UTF-16 units.
 */
export const cleanText = (text: string, lengthMax: number): string =>
  text
    .replaceAll('\0', '')
    .toWellFormed()
    .trim()
    .slice(0, lengthMax)
    .replace(CUT_HALF, '')
    .trimEnd();
