import { cueOfKey, isUninformative, splitWords } from './find-replacements.ts';
import type { JsonPath } from './walk-json.ts';

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
 * Matches keys whose last word means that the number is an amount or a time: `account_balance`,
 * `tax_rate`.
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
  const known = new Map<string, Cue>();

  function read(key: string, above?: string): Cue {
    const name = above === undefined ? key : `${above}\0${key}`;
    const cue = known.get(name) ?? toCue(key, above);
    known.set(name, cue);
    return cue;
  }

  return {
    cueOf(path, end = path.length) {
      const at = lastKey(path, end);
      if (at < 0) return undefined;
      const cue = read(path[at] as string);
      const above = cue.isBare ? lastKey(path, at) : -1;
      if (above < 0 || !read(path[above] as string).isPersonal) return cue;
      return read(path[at] as string, path[above] as string);
    },
  };
}

function toCue(key: string, above: string | undefined): Cue {
  const whole = above === undefined ? key : `${above} ${key}`;
  const words = splitWords(whole);
  return {
    prefix: cueOfKey(whole),
    isPersonal: CUE_KEY.test(words) && !AMOUNT_KEY.test(words),
    isCount: above === undefined && COUNTED_KEY.test(words),
    isBare: above === undefined && (BARE_KEY.test(key) || isUninformative(key)),
  };
}

function lastKey(path: JsonPath, end: number): number {
  let at = end - 1;
  while (at >= 0 && typeof path[at] === 'number') at -= 1;
  return at;
}
