const NUMBER = /\d+(?:[.,'’\u00a0\u202f]\d+)*/gu;

/**
 * Returns the numbers of a text that its source `material` does not contain, neither directly nor
 * as share and percentage (0.62 and 62). Integers up to `countMax` are accepted as counts; numbers
 * written as words are ignored.
 */
export const findInventedNumbers = (
  text: string,
  { material, countMax }: { material: string; countMax: number },
): string[] => {
  const known = new Set(numbersOf(material).flatMap(readingsOf).map(keyOf));
  const isKnown = (value: number): boolean =>
    (Number.isInteger(value) && value <= countMax) ||
    [value, value / 100, value * 100].some((item) => known.has(keyOf(item)));
  const invented = numbersOf(text).filter((number) => !readingsOf(number).some(isKnown));
  return [...new Set(invented)];
};

const numbersOf = (text: string): string[] => text.normalize('NFKC').match(NUMBER) ?? [];

/**
 * Returns all values that a number can have: `1,200` is 1200 in some countries and 1.2 in others.
 */
const readingsOf = (number: string): number[] => {
  const whole = Number(number.replaceAll(/\D/gu, ''));
  const parts = /^(?<left>.*)[.,](?<right>\d+)$/u.exec(number)?.groups;
  if (!parts) return [whole];
  return [whole, Number(`${parts['left']!.replaceAll(/\D/gu, '')}.${parts['right']!}`)];
};

const keyOf = (value: number): string => String(Number(value.toPrecision(12)));
