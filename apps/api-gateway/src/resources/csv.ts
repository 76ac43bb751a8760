export type CsvValue = string | number | null | undefined;

/** Returns a line of CSV (RFC 4180), with its line end. */
export const toCsvLine = (values: readonly CsvValue[]): string =>
  `${values.map(toField).join(',')}\r\n`;

/** A spreadsheet runs a text that begins with one of these characters as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const toField = (value: CsvValue): string => {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
