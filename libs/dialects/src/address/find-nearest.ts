const EDITS_MAX = 2;

export const findNearest = <Name extends string>(
  text: string,
  names: readonly Name[],
): Name | undefined => {
  const candidates = names
    .filter((name) => Math.abs(name.length - text.length) <= EDITS_MAX)
    .map((name) => ({ name, edits: levenshteinDistance(text, name) }))
    .filter(({ edits }) => edits <= EDITS_MAX);
  return candidates.toSorted((one, other) => one.edits - other.edits)[0]?.name;
};

const levenshteinDistance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < other.length; column += 1) {
      const changed = row[column]! + (one[index] === other[column] ? 0 : 1);
      next.push(Math.min(changed, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
};
