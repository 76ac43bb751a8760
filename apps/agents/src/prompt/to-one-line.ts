const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

export const toOneLine = (text: string): string => text.replaceAll(LINE_END, ' ');

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

const MARKER_WORDS = [
  String.raw`(?:SUPPLEMENTARY[^\S\n]+)?CONTEXT`,
  'MEMORIES',
  'KNOWLEDGE',
  'EARLIER',
  'OTHERS',
  'COUNCIL',
  String.raw`YOUR[^\S\n]+LAST[^\S\n]+ANSWER`,
  String.raw`(?:TEXT|PASSAGE)[^\S\n]+\d+`,
];

const MARKER = new RegExp(
  String.raw`\p{Pd}{3}(?=[^\S\n]*(?:END[^\S\n]+)?(?:${MARKER_WORDS.join('|')})(?![\p{L}\p{N}_]))`,
  'giu',
);

/**
 * Inserts spaces between the dashes of text that resembles a block delimiter, so that data cannot
 * end its block. Applying it again changes nothing.
 */
export const escapeBlockMarkers = (data: string): string => data.replaceAll(MARKER, '- - -');
