/** A text in three parts; `changed` differs from the text that it is compared with. */
export type SplitText = { before: string; changed: string; after: string };

/**
 * Splits `text` so that `before` and `after` are the longest beginning and end that it shares with
 * `other`. Splits between code points only.
 */
export const splitChange = (text: string, other: string): SplitText => {
  const [points, others] = [Array.from(text), Array.from(other)];
  const shorter = Math.min(points.length, others.length);
  let start = 0;
  while (start < shorter && points[start] === others[start]) start += 1;
  let end = 0;
  while (end < shorter - start && points.at(-1 - end) === others.at(-1 - end)) end += 1;
  const partOf = (from: number, to: number): string => points.slice(from, to).join('');
  const { length } = points;
  return {
    before: partOf(0, start),
    changed: partOf(start, length - end),
    after: partOf(length - end, length),
  };
};
