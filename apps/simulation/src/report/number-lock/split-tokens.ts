export type Token = {
  kind: 'digits' | 'word' | 'mark';
  text: string;
  lower: string;
  start: number;
  end: number;
};

/**
 * Pattern of a number in digits, optionally with an exponent, groups of three or decimals. It may
 * begin with the decimal point if neither a letter, a digit nor a separator precedes it.
 */
const DIGITS = [
  String.raw`\d+(?:\.\d+)?[eE][+-]?\d+(?![\p{L}\p{N}])`,
  String.raw`\d{1,3}(?:(?<between>[,.'’ ])\d{3})(?:\k<between>\d{3})*(?:[.,]\d+)?(?!\d)`,
  String.raw`\d+(?:[.,]\d+)?`,
  String.raw`(?<![\p{L}\p{N}.,])\.\d+`,
].join('|');

const TOKEN = new RegExp(
  String.raw`(?<digits>${DIGITS})|(?<word>\p{L}[\p{L}\p{M}]*)|(?<mark>\S)`,
  'gu',
);

export const splitTokens = (text: string): Token[] =>
  [...text.matchAll(TOKEN)].map((match) => {
    const [found] = match;
    const { digits, word } = match.groups!;
    const kind = digits === undefined ? (word === undefined ? 'mark' : 'word') : 'digits';
    const start = match.index;
    const lower = found.toLowerCase();
    return { kind, text: found, lower, start, end: start + found.length };
  });

/**
 * A possible value of a number. `step` is the distance to the next value with the same precision:
 * for digits one unit of the last significant digit, with an exponent a tenth of the value.
 */
export type Reading = { value: number; step: number };

/**
 * Returns every possible value of a number in digits: "1,234" has a group separator or three
 * decimals. Returns an empty list if the text is not a number.
 */
export const readDigits = (text: string): Reading[] => {
  if (/[eE]/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? [{ value, step: value / 10 }] : [];
  }
  const grouped = /^(\d{1,3}(?:([,.'’ ])\d{3})(?:\2\d{3})*)(?:([.,])(\d+))?$/u.exec(text);
  if (!grouped) return [readPlain(text.replace(',', '.'))];
  const [, groups, separator, point, decimals] = grouped;
  if (point !== undefined && point === separator) return [];
  const whole = groups!.replaceAll(/\D/gu, '');
  const readings = [readPlain(decimals === undefined ? whole : `${whole}.${decimals}`)];
  const mayBePoint = (separator === ',' || separator === '.') && decimals === undefined;
  if (mayBePoint && groups!.length <= DECIMAL_LENGTH_MAX) {
    readings.push(readPlain(groups!.replace(separator, '.')));
  }
  return readings;
};

const DECIMAL_LENGTH_MAX = 7;

/**
 * Reads a number without group separators. The trailing zeros of an integer may come from rounding,
 * so its last other digit determines `step`.
 */
const readPlain = (text: string): Reading => {
  const [whole = '', decimals] = text.split('.');
  const value = Number(text);
  if (decimals !== undefined) return { value, step: 10 ** -decimals.length };
  const zeros = value === 0 ? 0 : /0*$/.exec(whole)![0].length;
  return { value, step: 10 ** zeros };
};

const INVISIBLE_CHARACTERS = /(?!\s)[\p{C}\p{Me}\p{Variation_Selector}]/gu;
/**
 * Matches "1. " or "- " at the beginning of a list entry. It is removed, because the display
 * numbers the entries.
 */
const ENUMERATOR = /^\s*(?:\d{1,2}[.)]|[-*•])\s+/;

/**
 * Returns the form of prose that is both checked and displayed, so that a number is read as it
 * looks: full-width and circled digits, fractions and superscripts become plain digits, and
 * invisible characters are removed.
 */
export const normalizeProse = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFKC')
    .replaceAll(INVISIBLE_CHARACTERS, '')
    .replaceAll(/\s+/gu, ' ')
    .replace(ENUMERATOR, '')
    .trim();
