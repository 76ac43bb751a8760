const RUNS = 3;

/** Longer than what one process needs to be warm, short enough for the slowest contender. */
const CHARS_MAX = 200_000;

/** Millions of characters per second, in the best of some runs over the texts, one core. */
export function measureRate(texts: readonly string[], run: (text: string) => unknown): number {
  const some = takeUpTo(texts, CHARS_MAX);
  const chars = some.reduce((sum, { length }) => sum + length, 0);
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    for (const text of some) run(text);
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
