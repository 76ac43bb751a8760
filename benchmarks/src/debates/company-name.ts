/** For digits: numbers in prompts may be masked on their way, and these letters spell no name. */
const LETTERS = 'bcdfghjklm';

/** The name of the simulation with a number. */
export const toCompanyName = (number: number): string =>
  `Company ${String(number).replaceAll(/\d/g, (digit) => LETTERS[Number(digit)]!)}`;

/** The number of the simulation that a prompt is about; NaN when it names none. */
export const readCompanyName = (prompt: string): number => {
  const letters = /"Company ([bcdfghjklm]+)"/.exec(prompt)?.[1] ?? 'none';
  return Number([...letters].map((letter) => LETTERS.indexOf(letter)).join(''));
};
