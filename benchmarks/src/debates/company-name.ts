/** Letters in place of digits, because masking may replace numbers; they spell no name. */
const LETTERS = 'bcdfghjklm';

export const toCompanyName = (number: number): string =>
  `Company ${String(number).replaceAll(/\d/g, (digit) => LETTERS[Number(digit)]!)}`;

/** Returns the simulation's number in a prompt; NaN without one. */
export const readCompanyName = (prompt: string): number => {
  const letters = /"Company ([bcdfghjklm]+)"/.exec(prompt)?.[1] ?? 'none';
  return Number([...letters].map((letter) => LETTERS.indexOf(letter)).join(''));
};
