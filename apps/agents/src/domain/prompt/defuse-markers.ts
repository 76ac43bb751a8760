/** The first words of the lines that open and close blocks of our prompts, as patterns. */
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
 * Data in which no line passes for one that opens or closes a block of the prompt: the dashes of
 * such a line are set apart, and all other text stays as it is. Idempotent.
 */
export const defuseMarkers = (data: string): string => data.replaceAll(MARKER, '- - -');
