/**
 * State of the parser inside an opening tag. It is a number for speed, because it is computed for
 * every character.
 */
export type TagPhase = number;

export const BETWEEN_ATTRIBUTES = 0;
export const IN_NAME = 1;
export const AFTER_NAME = 2;
export const BEFORE_VALUE = 3;
export const IN_BARE_VALUE = 4;
/** First of the states inside quotes, where `<` and `>` are data. */
export const IN_QUOTES = 5;

const IN_DOUBLE = IN_QUOTES;
const IN_SINGLE = 6;
const IN_CURLY_DOUBLE = 7;
const IN_CURLY_SINGLE = 8;

/**
 * Returns the state after a character, by the attribute rules of the HTML standard (13.2.5.32 to
 * 13.2.5.39), extended by curly quotes. A quote opens a value only if nothing but spaces is between
 * it and the `=`.
 */
export function nextPhase(phase: TagPhase, code: number): TagPhase {
  if (phase >= IN_QUOTES) return closesQuotes(phase, code) ? BETWEEN_ATTRIBUTES : phase;
  if (isTagSpace(code)) {
    if (phase === IN_NAME) return AFTER_NAME;
    return phase === IN_BARE_VALUE ? BETWEEN_ATTRIBUTES : phase;
  }
  if (phase === BEFORE_VALUE) return phaseOfValue(code);
  if (phase === IN_BARE_VALUE) return phase;
  if (code === EQUALS) return BEFORE_VALUE;
  return code === SLASH ? BETWEEN_ATTRIBUTES : IN_NAME;
}

/** Returns true for ASCII white space and for the no-break space, which models sometimes write. */
export function isTagSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
}

const EQUALS = 0x3d;
const SLASH = 0x2f;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const CURLY_SINGLE_FIRST = 0x2018;
const CURLY_SINGLE_LAST = 0x201b;
const CURLY_DOUBLE_FIRST = 0x201c;
const CURLY_DOUBLE_LAST = 0x201f;

function phaseOfValue(code: number): TagPhase {
  if (code === DOUBLE_QUOTE) return IN_DOUBLE;
  if (code === SINGLE_QUOTE) return IN_SINGLE;
  if (isCurlyDouble(code)) return IN_CURLY_DOUBLE;
  return isCurlySingle(code) ? IN_CURLY_SINGLE : IN_BARE_VALUE;
}

/**
 * Returns true if a character closes the quotes. A straight quote also closes curly quotes; inside
 * straight quotes a curly quote is data.
 */
function closesQuotes(phase: TagPhase, code: number): boolean {
  if (phase === IN_DOUBLE) return code === DOUBLE_QUOTE;
  if (phase === IN_SINGLE) return code === SINGLE_QUOTE;
  if (phase === IN_CURLY_DOUBLE) return code === DOUBLE_QUOTE || isCurlyDouble(code);
  return code === SINGLE_QUOTE || isCurlySingle(code);
}

const isCurlyDouble = (code: number): boolean =>
  code >= CURLY_DOUBLE_FIRST && code <= CURLY_DOUBLE_LAST;

const isCurlySingle = (code: number): boolean =>
  code >= CURLY_SINGLE_FIRST && code <= CURLY_SINGLE_LAST;
