/** Returns A to Z for the indexes 0 to 25, then AA, AB and so on. */
export const toLetter = (index: number): string => {
  const last = String.fromCodePoint('A'.codePointAt(0)! + (index % 26));
  return index < 26 ? last : toLetter(Math.floor(index / 26) - 1) + last;
};
