import type { MaskedValue } from '../mask/placeholders.ts';
import { escapeJson } from '../mask/json-strings.ts';
import { isAlnum } from '../structured/char-class.ts';
import type { NameReader } from './create-name-reader.ts';

export type RestoreTarget = {
  insideJson?: boolean | undefined;
  /**
   * Called with the length of a value, in UTF-16 units, before it is restored. It may throw to
   * limit the output, because a model can repeat a short placeholder of a long value many times.
   */
  onRestore?: ((length: number) => void) | undefined;
};

/**
 * `undefined` means that no placeholder starts here, `incomplete` that more text is needed to
 * decide.
 */
type Match = undefined | 'incomplete' | { end: number; text: string };

export type Matcher = {
  nextStart(text: string, from: number): number;
  matchAt(text: string, offset: number, options: { isEnd: boolean }): Match;
};

type Form = { open: string; close: string; isNumber: boolean };

/**
 * Brackets that a model may put around a placeholder name: as masked, one pair instead of two,
 * escaped by Markdown or JSON, or none. The opening form determines the closing one.
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
 * The placeholder of a JSON number has added quotes. Each level of nested JSON escapes them again.
 */
const NUMBER_FORMS: readonly Form[] = [7, 3, 1, 0].map((backslashes) => {
  const quote = `${'\\'.repeat(backslashes)}"`;
  return { open: `${quote}[[`, close: `]]${quote}`, isNumber: true };
});

export function createMatcher(reader: NameReader, target: RestoreTarget = {}): Matcher {
  const insideJson = target.insideJson === true;
  const forms = insideJson && reader.hasNumbers ? [...NUMBER_FORMS, ...FORMS] : FORMS;
  const kinds = createStartKinds(reader.firstUnits, forms);

  function matchForm(text: string, offset: number, form: Form, isEnd: boolean): Match {
    const { open, close, isNumber } = form;
    if (!text.startsWith(open, offset))
      return !isEnd && endsInside(text, offset, open) ? 'incomplete' : undefined;
    const { names, isPartial } = reader.read(text, offset + open.length);
    if (isPartial && !isEnd) return 'incomplete';
    for (const { masked, end } of names.toReversed()) {
      if (isNumber && masked.isNumber !== true) continue;
      if (text.startsWith(close, end)) {
        const role = isNumber ? readStringRole(text, end + close.length) : 'value';
        if (role === 'key') return undefined;
        if (role === 'incomplete' && !isEnd) return 'incomplete';
        const restored = insideJson ? toJsonSpelling(masked) : masked.value;
        target.onRestore?.(restored.length);
        return { end: end + close.length, text: restored };
      }
      if (!isEnd && endsInside(text, end, close)) return 'incomplete';
    }
    return undefined;
  }

  return {
    nextStart(text, from) {
      let offset = from;
      for (; offset < text.length; offset += 1) {
        const kind = kinds[text.charCodeAt(offset)];
        if (
          kind === DELIMITER ||
          (kind === BARE_NAME && mayStartBareName(text, offset, insideJson))
        )
          break;
      }
      return offset;
    },
    matchAt(text, offset, { isEnd }) {
      const isBare = kinds[text.charCodeAt(offset)] === BARE_NAME;
      let result: Match;
      for (const form of forms) {
        if ((form.open === '') !== isBare) continue;
        const match = matchForm(text, offset, form, isEnd);
        if (match !== undefined && match !== 'incomplete') return match;
        result ??= match;
      }
      return result;
    },
  };
}

const DELIMITER = 1;
const BARE_NAME = 2;

function createStartKinds(firstUnits: ReadonlySet<number>, forms: readonly Form[]): Uint8Array {
  const kinds = new Uint8Array(128);
  if (firstUnits.size === 0) return kinds;
  for (const unit of firstUnits) {
    kinds[unit] = BARE_NAME;
    kinds[unit | 32] = BARE_NAME;
  }
  for (const { open } of forms) if (open !== '') kinds[open.charCodeAt(0)] = DELIMITER;
  return kinds;
}

/**
 * Returns true if a name without brackets may start here. A lower-case name must start a word;
 * otherwise the end of nearly every word of a stream would be buffered. In JSON, a letter after a
 * backslash belongs to the escape sequence.
 */
function mayStartBareName(text: string, offset: number, insideJson: boolean): boolean {
  const charBefore = text.charCodeAt(offset - 1);
  if (insideJson && charBefore === BACKSLASH) return false;
  if (!isAlnum(charBefore) || text.charCodeAt(offset) < 97) return true;
  const isEscape = insideJson && text.charCodeAt(offset - 2) === BACKSLASH;
  return isEscape && 'bfnrt'.includes(text.charAt(offset - 1));
}

const BACKSLASH = 92;

const WHITESPACE_MAX = 16;

function readStringRole(text: string, offset: number): 'key' | 'value' | 'incomplete' {
  let end = offset;
  while (end - offset < WHITESPACE_MAX && ' \t\r\n'.includes(text.charAt(end)) && end < text.length)
    end += 1;
  if (end === text.length) return 'incomplete';
  return text.charAt(end) === ':' ? 'key' : 'value';
}

function endsInside(text: string, offset: number, expected: string): boolean {
  return text.length - offset < expected.length && expected.startsWith(text.slice(offset));
}

function toJsonSpelling({ value, json }: MaskedValue): string {
  return json ?? escapeJson(value);
}
