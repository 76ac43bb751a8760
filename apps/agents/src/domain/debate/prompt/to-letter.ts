/** What stands for a member of the council whose name is not told: A to Z, then AA. */
export const toLetter = (index: number): string => {
  const last = String.fromCodePoint('A'.codePointAt(0)! + (index % 26));
  return index < 26 ? last : toLetter(Math.floor(index / 26) - 1) + last;
};
