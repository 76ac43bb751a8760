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
