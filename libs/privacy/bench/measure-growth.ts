import { HOSTILE_UNITS } from './hostile-units.ts';

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
