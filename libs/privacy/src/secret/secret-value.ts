/** Words that stand in the place of a value: types, nothings, what people put into examples. */
const STAND_INS = new Set(
  `null nil none true false undefined string number boolean str int object any required optional
   redacted masked hidden changeme placeholder example`.split(/\s+/),
);
/** `your-key`, `my_secret`, `xxxx`, `****`, `...`. */
const FILLER = /^(?:your[\w-]*|my[\w-]*|x{3,}|\*+|\.{3,}|-+|#+)$/i;
/** Variables, templates, stores of secrets, and paths. */
const REFERENCES: readonly RegExp[] = [
  /^(?:\$|<|\{\{|\[\[|%\(|\[[A-Z_ ]+\])/,
  /^(?:process\.env|os\.|env\.|secrets?\.|vault:|ref:)/,
  /^(?:\.{0,2}\/\w|[A-Z]:\\)/,
];

/** Whether a value only stands for a secret: a type, a variable, a call, stars. */
export function isStandIn(value: string): boolean {
  if (STAND_INS.has(value.toLowerCase()) || FILLER.test(value)) return true;
  if (REFERENCES.some((form) => form.test(value)) || /^0x[0-9a-f]{1,8}$/i.test(value)) return true;
  if (value.includes(' ') && !/[\d!#$%&*+=?^_~]/.test(value)) return true;
  return /^[A-Za-z_][\w.]*\(/.test(value) || /^[a-z_]+(?:\.[a-zA-Z_]+)+$/.test(value);
}

/** Among so many characters of a random value nine are different. */
const ENOUGH = 24;

/**
 * Whether a value looks drawn at random: long, of many characters, and of letters with digits or of
 * capitals strewn among small letters. `sk-learn-something-long` and `camelCaseName` are not.
 */
export function isRandom(value: string): boolean {
  if (value.length < 12 || /\s/.test(value) || !/[A-Za-z]/.test(value)) return false;
  // So many different characters: a set of all would cost more than the rest of the test.
  if (new Set(value.slice(0, ENOUGH)).size < Math.min(9, value.length * 0.5)) {
    if (new Set(value).size < Math.min(9, value.length * 0.5)) return false;
  }
  if (/\d/.test(value)) return true;
  const humps = value.match(/[a-z][A-Z]/g)?.length ?? 0;
  return humps >= 3 && value.length <= humps * 7;
}
