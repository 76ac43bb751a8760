const EDITS_MAX = 2;

export const findNearest = <Name extends string>(
  text: string,
  names: readonly Name[],
): Name | undefined => {
  const candidates = names
    .filter((name) => Math.abs(name.length - text.length) <= EDITS_MAX)
    .map((name) => ({ name, edits: levenshteinDistance(text, name) }))
    .filter(({ edits }) => edits <= EDITS_MAX);
  return candidates.toSorted((a, b) => a.edits - b.edits)[0]?.name;
};

const levenshteinDistance = (source: string, target: string): number => {
  let row = Array.from({ length: target.length + 1 }, (_, index) => index);
  for (let index = 0; index < source.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < target.length; column += 1) {
      const substitutionCost = row[column]! + (source[index] === target[column] ? 0 : 1);
      next.push(Math.min(substitutionCost, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
};
