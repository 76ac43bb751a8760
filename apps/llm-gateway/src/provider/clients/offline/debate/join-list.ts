/** Returns `a`, `a and b`, or `a, b and c`. */
export const joinList = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)!}`;
