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
