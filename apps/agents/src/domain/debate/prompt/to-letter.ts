/** Returns the letter of an anonymous council member: A to Z, then AA. */
export const toLetter = (index: number): string => {
  const last = String.fromCodePoint('A'.codePointAt(0)! + (index % 26));
  return index < 26 ? last : toLetter(Math.floor(index / 26) - 1) + last;
};
