/** Digits with what groups or parts them: `1,200`, `3.5`, `10 000`. */
const NUMBER = /\d+(?:[.,'’\u00a0\u202f]\d+)*/gu;

/**
 * The numbers of a text that its material does not hold: not as they are, not as percent of a share
 * (0.62 and 62), and that are not counts up to `countMax` either. Numbers in words are not seen.
 */
export const findInventedNumbers = (
  text: string,
  { material, countMax }: { material: string; countMax: number },
): string[] => {
  const known = new Set(numbersOf(material).flatMap(readingsOf).map(keyOf));
  const isKnown = (value: number): boolean =>
    (Number.isInteger(value) && value <= countMax) ||
    [value, value / 100, value * 100].some((one) => known.has(keyOf(one)));
  const invented = numbersOf(text).filter((number) => !readingsOf(number).some(isKnown));
  return [...new Set(invented)];
};

const numbersOf = (text: string): string[] => text.normalize('NFKC').match(NUMBER) ?? [];

/** `1,200` is twelve hundred in one country and one and a fifth in another. */
const readingsOf = (number: string): number[] => {
  const whole = Number(number.replaceAll(/\D/gu, ''));
  const parts = /^(?<left>.*)[.,](?<right>\d+)$/u.exec(number)?.groups;
  if (!parts) return [whole];
  return [whole, Number(`${parts['left']!.replaceAll(/\D/gu, '')}.${parts['right']!}`)];
};

/** Without what binary fractions add. */
const keyOf = (value: number): string => String(Number(value.toPrecision(12)));
