const RUNS = 3;

/**
 * Maximum size of a sample: enough to warm up the process, but not too much for the slowest tool.
 */
const CHARS_MAX = 200_000;

/** Returns the best rate of several runs on one core, in millions of characters per second. */
export function measureRate(texts: readonly string[], run: (text: string) => unknown): number {
  const sample = takeUpTo(texts, CHARS_MAX);
  const chars = sample.reduce((sum, { length }) => sum + length, 0);
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    for (const text of sample) run(text);
    return performance.now() - start;
  });
  return chars / 1000 / Math.min(...times);
}

function takeUpTo(texts: readonly string[], chars: number): string[] {
  let left = chars;
  return texts.filter(({ length }) => {
    left -= length;
    return left >= 0;
  });
}

const SMALL_BYTES = 128 * 1024;
const LARGE_BYTES = 1024 * 1024;

/** `ratio` is the time for 1 MB divided by the time for 128 KB: 8 means linear, 64 quadratic. */
export type Growth = { name: string; ratio: number; seconds: number };

export const measureGrowth = (run: (text: string) => unknown): Growth[] =>
  HOSTILE_UNITS.map(([name, unit]) => {
    const small = repeat(unit, SMALL_BYTES);
    const large = repeat(unit, LARGE_BYTES);
    run(small);
    const before = elapsed(() => run(small));
    const after = elapsed(() => run(large));
    return { name, ratio: after / before, seconds: after / 1000 };
  }).toSorted((a, b) => b.ratio - a.ratio);

function repeat(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

function elapsed(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** Texts that, when repeated, can make a naive scanner backtrack or repeat a lookahead. */
export const HOSTILE_UNITS: readonly (readonly [name: string, unit: string])[] = [
  ['digits', '1234567890'],
  ['at signs', '@'],
  ['dashes', '-'],
  ['dots', '.'],
  ['colons', ':'],
  ['letters and at signs', 'a@'],
  ['addresses without an end', 'a.b@c.'],
  ['hexadecimal', '0123456789abcdef'],
  ['short groups', '1 '],
  ['groups of telephones', '(555) 555-'],
  ['groups behind a cue', 'card 123456,'],
  ['spaces', ' '],
  ['line feeds', '\n'],
  ['cues', 'password: '],
  ['schemes', 'a://'],
  ['credentials', 'a://b:c@'],
  ['private keys', '-----BEGIN PRIVATE KEY-----'],
  ['web tokens with dots', 'eyJ1.'],
  ['key prefixes', 'sk-'],
  ['long key prefixes', 'sk-a1'],
  ['IBAN starts', 'DE12 '],
  ['long words with a digit at the end', `${'a'.repeat(300)}1 `],
  ['zero-width digits', '1\u200b'],
  ['full-width digits', '１２ '],
  ['Han characters', '電話1'],
  ['months', 'May 1, '],
  ['wallet lookalikes', `1${'a'.repeat(29)} `],
  ['bearers', 'Bearer 1'],
  ['lone surrogates', '\ud800'],
];
