/** Levels of a stance as models write them, from -1 to 1 in steps of a half. */
export const STANCE_WORDS = [
  'against',
  'rather against',
  'undecided',
  'rather for',
  'for',
] as const;

/** Returns the word of a stance from -1 to 1. */
export const wordOf = (stance: number): string => STANCE_WORDS[Math.round(stance * 2) + 2]!;

const DEGREE = 'strongly|clearly|fully|very|klar|ganz|claramente|totalmente|clairement|tout à fait';
const HALF = 'rather|somewhat|partly|mostly|leaning|eher|más bien|plutôt';

/** Words for a side in English, German, Spanish and French. */
const SIDES: readonly (readonly [words: string, side: number])[] = [
  ['for(?: it)?|in favou?r(?: of it)?|supports?|dafür|a favor|pour', 1],
  ['against(?: it)?|opposed|opposes?|dagegen|en contra|contre', -1],
  ['undecided|neutral|unentschieden|indecis[oa]|indécise?', 0],
];

const LEVELS = SIDES.map(([words, side]) => ({
  pattern: new RegExp(`^(?:(?:${DEGREE}) )?(?<half>(?:${HALF}) )?(?:${words})[.!]?$`, 'u'),
  side,
}));

/**
 * Returns the level of a stance: -1, -0.5, 0, 0.5 or 1. Reads the words of `STANCE_WORDS` and
 * common variants of them in four languages, and numbers from -1 to 1. A number is rounded to the
 * nearest level, and away from zero between two levels, so that the rounding favours neither side.
 * Returns undefined for anything else.
 */
export const toStance = (value: unknown): number | undefined => {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  const words = text.replaceAll(/[\s_-]+/gu, ' ');
  for (const { pattern, side } of LEVELS) {
    const match = pattern.exec(words);
    if (match) return match.groups!['half'] === undefined ? side : side / 2;
  }
  const number = text === '' ? value : Number(text);
  if (typeof number !== 'number' || !(Math.abs(number) <= 1)) return undefined;
  // Adding 0 turns -0 into 0.
  return (Math.sign(number) * Math.round(Math.abs(number) * 2)) / 2 + 0;
};
