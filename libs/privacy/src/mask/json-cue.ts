import { prefixOf, saysNothing, wordsOf } from './find-pieces.ts';
import type { JsonPath } from './walk-json.ts';

/** Keys that name personal data. */
const CUE_KEY = new RegExp(
  `\\b(?:phones?|telephones?|tel|mobiles?|cell|fax|ssns?|social security|social insurance|sin|nino|
    cards?|pan|ibans?|accounts?|accts?|routing|passports?|licen[cs]es?|tax|vat|tin|itin|ein|
    national ids?|identity|nhs|cpf|pesel|bsn|dni|aadhaar)\\b`.replaceAll(/\s*\n\s*/g, ''),
  'i',
);
/** Plurals that may as well be a count: `"accounts": 1500000`. */
const COUNTED_KEY =
  /\b(?:mobiles|ssns|cards|ibans|accounts|accts|passports|licen[cs]es|national ids)\b/i;
/** Last words of a key whose number says how much or when: `account_balance`, `tax_rate`. */
const AMOUNT_KEY = new RegExp(
  `\\b(?:amount|balance|count|total|totals|sum|limit|rate|fee|fees|cost|price|share|size|percent|
    pct|bracket|year|month|day|at|on|updated|created|version|status|type|score)$`.replaceAll(
    /\s*\n\s*/g,
    '',
  ),
  'i',
);
/** Keys of a number that is named by the key above: `"cards": [{"no": ...}]`. */
const BARE_KEY = /^(?:no|nr|num|numbers?|digits|values)$/i;

/** What a key says of the value below it. */
export type Cue = {
  /** The words that stand before the value when it is read: `home phone: `; maybe empty. */
  prefix: string;
  /** Whether the key names personal data. */
  isPersonal: boolean;
  /** Whether a number right below the key may be how many there are. */
  isCount: boolean;
  /** Whether the key above says more. */
  isBare: boolean;
};

export type CueReader = {
  /**
   * What the keys of a path before `end` say: the nearest one, behind the one above it where that
   * names personal data and the nearest says nothing.
   */
  cueOf(path: JsonPath, end?: number): Cue | undefined;
};

/** Reads the keys of one text; the same ones stand in every row, so each is read once. */
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
  const words = wordsOf(whole);
  return {
    prefix: prefixOf(whole),
    isPersonal: CUE_KEY.test(words) && !AMOUNT_KEY.test(words),
    isCount: above === undefined && COUNTED_KEY.test(words),
    isBare: above === undefined && (BARE_KEY.test(key) || saysNothing(key)),
  };
}

function lastKey(path: JsonPath, end: number): number {
  let at = end - 1;
  while (at >= 0 && typeof path[at] === 'number') at -= 1;
  return at;
}
