/** Letters replace digits, because masking may replace numbers; these spell no name. */
const LETTERS = 'bcdfghjklm';

export const toCompanyName = (number: number): string =>
  `Company ${String(number).replaceAll(/\d/g, (digit) => LETTERS[Number(digit)]!)}`;

/** Returns the number of the simulation that a prompt contains; NaN if it contains none. */
export const readCompanyName = (prompt: string): number => {
  const letters = /"Company ([bcdfghjklm]+)"/.exec(prompt)?.[1] ?? 'none';
  return Number([...letters].map((letter) => LETTERS.indexOf(letter)).join(''));
};
