import type { JsonPath } from './json-strings.ts';

const CUE_KEY = new RegExp(
  `\\b(?:phones?|telephones?|tel|mobiles?|cell|fax|ssns?|social security|social insurance|sin|nino|
    cards?|pan|ibans?|accounts?|accts?|routing|passports?|licen[cs]es?|tax|vat|tin|itin|ein|
    national ids?|identity|nhs|cpf|pesel|bsn|dni|aadhaar)\\b`.replaceAll(/\s*\n\s*/g, ''),
  'i',
);
/** Plural keys whose number may be a count instead of personal data: `"accounts": 1500000`. */
const COUNTED_KEY =
  /\b(?:mobiles|ssns|cards|ibans|accounts|accts|passports|licen[cs]es|national ids)\b/i;
/**
 * Matches keys whose last word means that the number is not personal data but, for example, an
 * amount or a time: `account_balance`, `tax_rate`.
 */
const AMOUNT_KEY = new RegExp(
  `\\b(?:amount|balance|count|total|totals|sum|limit|rate|fee|fees|cost|price|share|size|percent|
    pct|bracket|year|month|day|at|on|updated|created|version|status|type|score)$`.replaceAll(
    /\s*\n\s*/g,
    '',
  ),
  'i',
);
/** Keys of numbers that only the parent key explains: `"cards": [{"no": ...}]`. */
const BARE_KEY = /^(?:no|nr|num|numbers?|digits|values)$/i;

/**
 * Keys that are not used as a cue, because they do not describe the value and, in front of it,
 * would prevent the detection of a name at its start.
 */
const UNINFORMATIVE_KEYS = new Set([
  ...['', 'content', 'text', 'message', 'input', 'output', 'value', 'data', 'body', 'query'],
  ...['prompt', 'description', 'result', 'results', 'response', 'answer', 'question', 'arguments'],
]);

const isUninformative = (key: string): boolean => UNINFORMATIVE_KEYS.has(key.toLowerCase());

export type Cue = {
  /** Text that is put in front of the value for detection, such as `home phone: `; may be empty. */
  prefix: string;
  isPersonal: boolean;
  isCount: boolean;
  /** True if the key does not describe its value, so that the parent key is used as well. */
  isBare: boolean;
};

export type CueReader = {
  /**
   * Returns the cue of the nearest key before `end` in the path. If that key does not describe its
   * value and the parent key names personal data, the cue combines both keys.
   */
  cueOf(path: JsonPath, end?: number): Cue | undefined;
};

export function createCueReader(): CueReader {
  const cache = new Map<string, Cue>();

  function read(key: string, parentKey?: string): Cue {
    const name = parentKey === undefined ? key : `${parentKey}\0${key}`;
    const cue = cache.get(name) ?? toCue(key, parentKey);
    cache.set(name, cue);
    return cue;
  }

  return {
    cueOf(path, end = path.length) {
      const keyIndex = lastKeyIndex(path, end);
      if (keyIndex < 0) return undefined;
      const cue = read(path[keyIndex] as string);
      const parentIndex = cue.isBare ? lastKeyIndex(path, keyIndex) : -1;
      if (parentIndex < 0 || !read(path[parentIndex] as string).isPersonal) return cue;
      return read(path[keyIndex] as string, path[parentIndex] as string);
    },
  };
}

/** The cue of an uninformative key, which never names personal data. */
const NO_CUE: Cue = { prefix: '', isPersonal: false, isCount: false, isBare: true };

function toCue(key: string, parentKey: string | undefined): Cue {
  if (parentKey === undefined && isUninformative(key)) return NO_CUE;
  const qualifiedKey = parentKey === undefined ? key : `${parentKey} ${key}`;
  const words = splitWords(qualifiedKey);
  return {
    prefix: `${words}: `,
    isPersonal: CUE_KEY.test(words) && !AMOUNT_KEY.test(words),
    isCount: parentKey === undefined && COUNTED_KEY.test(words),
    isBare: parentKey === undefined && BARE_KEY.test(key),
  };
}

function lastKeyIndex(path: JsonPath, end: number): number {
  let index = end - 1;
  while (index >= 0 && typeof path[index] === 'number') index -= 1;
  return index;
}

const KEY_LENGTH_MAX = 200;

/** Separates the words of a key by spaces: `homePhone_number` becomes `home Phone number`. */
export function splitWords(key: string): string {
  return key
    .slice(0, KEY_LENGTH_MAX)
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
