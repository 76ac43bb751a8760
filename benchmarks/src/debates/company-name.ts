/**
 * Consonants that encode the digits 0 to 9 in a company's name, because masking could replace
 * numbers or real names.
 */
const LETTERS = 'bcdfghjklm';

export const toCompanyName = (number: number): string =>
  `Company ${String(number).replaceAll(/\d/g, (digit) => LETTERS[Number(digit)]!)}`;

/** Returns the number that a prompt's company name encodes; NaN without such a name. */
export const readCompanyName = (prompt: string): number => {
  const letters = /"Company ([bcdfghjklm]+)"/.exec(prompt)?.[1] ?? 'none';
  return Number([...letters].map((letter) => LETTERS.indexOf(letter)).join(''));
};
