import type { MaskedValue } from '../mask/create-placeholder-table.ts';
import { escapeJson } from '../mask/escape-json.ts';
import type { NameReader } from './create-name-reader.ts';

/** Where a text is restored to: prose, or JSON text such as tool arguments. */
export type RestoreTarget = {
  insideJson?: boolean | undefined;
  /**
   * Hears the length of every value before it is put back, in UTF-16 units, and may throw: a model
   * can say a short placeholder of a long value very often.
   */
  onRestore?: ((length: number) => void) | undefined;
};

/**
 * What is at an offset: `undefined` for nothing; `more` when only what follows can tell; else the
 * placeholder's end and what it stands for.
 */
export type Match = undefined | 'more' | { end: number; text: string };

export type Matcher = {
  /** The first offset from `from` at which a placeholder may begin, or the text's length. */
  nextStart(text: string, from: number): number;
  /** `isEnd`: nothing follows the text. */
  matchAt(text: string, at: number, options: { isEnd: boolean }): Match;
};

type Form = { open: string; close: string; isNumber: boolean };

/**
 * What stands around a name: as masked, with one bracket, with brackets that Markdown or JSON
 * escaped, or nothing. Which it is shows in the opening.
 */
const FORMS: readonly Form[] = [
  ['[[', ']]'],
  ['[', ']'],
  ['\\[\\[', '\\]\\]'],
  ['\\[', '\\]'],
  ['\\\\[\\\\[', '\\\\]\\\\]'],
  ['\\\\[', '\\\\]'],
  ['', ''],
].map(([open = '', close = '']) => ({ open, close, isNumber: false }));

/**
 * A number of JSON got quotes with its placeholder; JSON in JSON escapes them, the deeper the more
 * often. A key keeps its quotes.
 */
const NUMBER_FORMS: readonly Form[] = [7, 3, 1, 0].map((backslashes) => {
  const quote = `${'\\'.repeat(backslashes)}"`;
  return { open: `${quote}[[`, close: `]]${quote}`, isNumber: true };
});

/** Matches the names of a table in every form that models change placeholders to. */
export function createMatcher(reader: NameReader, target: RestoreTarget = {}): Matcher {
  const insideJson = target.insideJson === true;
  const forms = insideJson && reader.hasNumbers ? [...NUMBER_FORMS, ...FORMS] : FORMS;
  const kinds = createStartKinds(reader.firstUnits, forms);

  function matchForm(text: string, at: number, form: Form, isEnd: boolean): Match {
    const { open, close, isNumber } = form;
    if (!text.startsWith(open, at)) return !isEnd && isCutOff(text, at, open) ? 'more' : undefined;
    const { names, isCut } = reader.read(text, at + open.length);
    if (isCut && !isEnd) return 'more';
    for (const { masked, end } of names.toReversed()) {
      if (isNumber && masked.isNumber !== true) continue;
      if (text.startsWith(close, end)) {
        const after = isNumber ? readAfter(text, end + close.length) : 'value';
        if (after === 'key') return undefined;
        if (after === 'more' && !isEnd) return 'more';
        const restored = insideJson ? jsonOf(masked) : masked.value;
        target.onRestore?.(restored.length);
        return { end: end + close.length, text: restored };
      }
      if (!isEnd && isCutOff(text, end, close)) return 'more';
    }
    return undefined;
  }

  return {
    nextStart(text, from) {
      let at = from;
      for (; at < text.length; at += 1) {
        const kind = kinds[text.charCodeAt(at)];
        if (kind === OPENS || (kind === BARE && mayBeBare(text, at, insideJson))) break;
      }
      return at;
    },
    matchAt(text, at, { isEnd }) {
      const isBare = kinds[text.charCodeAt(at)] === BARE;
      let result: Match;
      for (const form of forms) {
        if ((form.open === '') !== isBare) continue;
        const match = matchForm(text, at, form, isEnd);
        if (match !== undefined && match !== 'more') return match;
        result ??= match;
      }
      return result;
    },
  };
}

const OPENS = 1;
const BARE = 2;

/** By code unit: whether it may begin a form, or a bare name. */
function createStartKinds(firstUnits: ReadonlySet<number>, forms: readonly Form[]): Uint8Array {
  const kinds = new Uint8Array(128);
  if (firstUnits.size === 0) return kinds;
  for (const unit of firstUnits) {
    kinds[unit] = BARE;
    kinds[unit | 32] = BARE;
  }
  for (const { open } of forms) if (open !== '') kinds[open.charCodeAt(0)] = OPENS;
  return kinds;
}

/**
 * A bare name in lower case does not begin inside a word: else the end of nearly every word of a
 * stream would be held back. Inside JSON a letter behind a backslash belongs to the escape.
 */
function mayBeBare(text: string, at: number, insideJson: boolean): boolean {
  const before = text.charCodeAt(at - 1);
  if (insideJson && before === BACKSLASH) return false;
  if (!isAlphanumeric(before) || text.charCodeAt(at) < 97) return true;
  const escapes = insideJson && text.charCodeAt(at - 2) === BACKSLASH;
  return escapes && 'bfnrt'.includes(text.charAt(at - 1));
}

const BACKSLASH = 92;

/** Of ASCII; NaN, before the text, is not. */
function isAlphanumeric(unit: number): boolean {
  const lower = unit | 32;
  return (unit >= 48 && unit <= 57) || (unit < 128 && lower >= 97 && lower <= 122);
}

/** JSON has no more white space than this before the colon behind a key. */
const GAP_MAX = 16;

/** What a string that ended before `at` is: the colon behind it says that it is a key. */
function readAfter(text: string, at: number): 'key' | 'value' | 'more' {
  let end = at;
  while (end - at < GAP_MAX && ' \t\r\n'.includes(text.charAt(end)) && end < text.length) end += 1;
  if (end === text.length) return 'more';
  return text.charAt(end) === ':' ? 'key' : 'value';
}

/** Whether the text ends inside `wanted`, which begins at `at`. */
function isCutOff(text: string, at: number, wanted: string): boolean {
  return text.length - at < wanted.length && wanted.startsWith(text.slice(at));
}

function jsonOf({ value, json }: MaskedValue): string {
  return json ?? escapeJson(value);
}
