const PATTERN_LENGTH_MAX = 1_000;
const SAMPLE_LENGTH_MAX = 4_000;
/** The printable characters of ASCII, small letters first. */
const ASCII = Array.from({ length: 95 }, (_, index) =>
  String.fromCodePoint(((index + 65) % 95) + 32),
);
/** Numbers of repetitions to try, until a sample is long enough. */
const REPEATS = [0, 1, 2, 4, 8, 16, 32, 64, 256, 1_000];
/** Matches a part of a pattern: the start of a group, one character, or a quantifier. */
const TOKEN =
  /\((?:\?(?::|<?[=!]|<\w+>))?|\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\w{4}|x\w{2}|[^])|\{[\d,]+\}|[^]/giu;

/**
 * Returns texts that are likely to match a regular expression, the shortest first: it takes the
 * first of several alternatives and ignores look-arounds. Returns none if these parts contain a
 * reference. The expression is never run, because it could block the event loop.
 */
export const samplesOf = (pattern: string): string[] =>
  REPEATS.flatMap((repeats) => {
    const tokens = pattern.slice(0, PATTERN_LENGTH_MAX).match(TOKEN) ?? [];
    return takeSample(tokens, repeats) ?? [];
  });

/** Takes the tokens up to the end of a group or of the pattern and returns a sample of them. */
const takeSample = (tokens: string[], repeats: number): string | undefined => {
  const texts: (string | undefined)[] = [];
  let isChosen = true;
  for (let token = tokens.shift(); token !== undefined && token !== ')'; token = tokens.shift()) {
    if (token === '|') isChosen = false;
    const inner = token.startsWith('(') ? takeSample(tokens, repeats) : sampleOf(token);
    const part = /^\(\?<?[=!]/u.test(token) ? '' : inner;
    const count = takeCount(tokens, repeats);
    const isLong = (part?.length ?? 0) * count > SAMPLE_LENGTH_MAX;
    if (isChosen) texts.push(isLong ? undefined : part?.repeat(count));
  }
  return texts.includes(undefined) ? undefined : texts.join('');
};

/** Returns a character that a class or an escape matches, and an empty text for an anchor. */
const sampleOf = (atom: string): string | undefined => {
  if (/^(?:[\^$]|\\[bB])$/u.test(atom)) return '';
  try {
    const matcher = new RegExp(`^${atom}$`, 'u');
    return [...ASCII, ...atom].find((character) => matcher.test(character));
  } catch {
    return undefined; // A reference or a syntax error has no sample.
  }
};

const takeCount = (tokens: string[], repeats: number): number => {
  const [next = '', lazy] = tokens;
  if (!/^(?:[*+?]|\{\d.*\})$/u.test(next)) return 1;
  tokens.splice(0, lazy === '?' ? 2 : 1);
  const [low = '', high = low] = next.replaceAll(/[{}]/gu, '').split(',');
  if (!next.startsWith('{')) return next === '?' ? 0 : repeats + Number(next === '+');
  return Math.min(Number(high || Infinity), Math.max(Number(low), repeats));
};
