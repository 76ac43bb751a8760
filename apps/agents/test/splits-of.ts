/**
 * Returns `count` pseudo-random ways to split a text into pieces, some of them empty, as a stream
 * might. It is faster than an arbitrary of fast-check, so that tests can try many splits.
 */
export function splitsOf(text: string, { seed, count }: { seed: number; count: number }) {
  // Linear congruential generator from Numerical Recipes. `next` uses the high bits of its state,
  // which are random enough.
  let state = seed >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: count }, () => {
    const pieces: string[] = [];
    const longest = 1 + next(24);
    for (let index = 0; index < text.length;) {
      const to = index + next(longest + 1);
      pieces.push(text.slice(index, to));
      index = to;
    }
    return pieces;
  });
}
