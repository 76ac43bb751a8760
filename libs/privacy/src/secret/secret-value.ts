const DUMMY_VALUES = new Set(
  `null nil none true false undefined string number boolean str int object any required optional
   redacted masked hidden changeme placeholder example`.split(/\s+/),
);
const FILLER = /^(?:your[\w-]*|my[\w-]*|x{3,}|\*+|\.{3,}|-+|#+)$/i;
const REFERENCES: readonly RegExp[] = [
  /^(?:\$|<|\{\{|\[\[|%\(|\[[A-Z_ ]+\])/,
  /^(?:process\.env|os\.|env\.|secrets?\.|vault:|ref:)/,
  /^(?:\.{0,2}\/\w|[A-Z]:\\)/,
];

/**
 * Returns true for values that are not secrets: type names, variables, function calls, asterisks.
 */
export function isDummyValue(value: string): boolean {
  if (DUMMY_VALUES.has(value.toLowerCase()) || FILLER.test(value)) return true;
  if (REFERENCES.some((form) => form.test(value)) || /^0x[0-9a-f]{1,8}$/i.test(value)) return true;
  if (value.includes(' ') && !/[\d!#$%&*+=?^_~]/.test(value)) return true;
  return /^[A-Za-z_][\w.]*\(/.test(value) || /^[a-z_]+(?:\.[a-zA-Z_]+)+$/.test(value);
}

const SAMPLE_LENGTH = 24;

/**
 * Returns true for values that look random: long, many distinct characters, and letters mixed with
 * digits or irregular capitals. Returns false for `sk-learn-something-long` and `camelCaseName`.
 */
export function isRandom(value: string): boolean {
  if (value.length < 12 || /\s/.test(value) || !/[A-Za-z]/.test(value)) return false;
  // Counts the characters of a prefix first, because a set of all characters would dominate the
  // cost of the function.
  if (new Set(value.slice(0, SAMPLE_LENGTH)).size < Math.min(9, value.length * 0.5)) {
    if (new Set(value).size < Math.min(9, value.length * 0.5)) return false;
  }
  if (/\d/.test(value)) return true;
  const camelCaseBoundaries = value.match(/[a-z][A-Z]/g)?.length ?? 0;
  return camelCaseBoundaries >= 3 && value.length <= camelCaseBoundaries * 7;
}
