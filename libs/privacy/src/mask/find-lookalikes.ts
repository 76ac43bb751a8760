import { isAsciiLetter } from '../structured/char-class.ts';
import { ID_LENGTH, NAME_KINDS } from './placeholder-name.ts';

type Lookalike = {
  start: number;
  end: number;
  name: string;
  inBrackets: boolean;
};

const UNDERSCORE = 95;
const BACKSLASH = 92;

/**
 * Finds every range that `restore` could take for a placeholder, in upper or lower case and with
 * any brackets. May find more ranges than `restore` replaces, but never fewer.
 */
export function findLookalikes(text: string): Lookalike[] {
  const found: Lookalike[] = [];
  for (let offset = text.indexOf('_'); offset >= 0; offset = text.indexOf('_', offset + 1)) {
    const end = offset + 1 + ID_LENGTH;
    if (end > text.length || !isId(text, offset + 1, end)) continue;
    for (const kind of NAME_KINDS) {
      const start = startOfKind(text, kind, offset);
      if (start < 0) continue;
      const name = `${kind}_${text.slice(offset + 1, end).toUpperCase()}`;
      found.push({ start, end, name, inBrackets: hasBrackets(text, start, end) });
    }
  }
  return found;
}

function isId(text: string, start: number, end: number): boolean {
  for (let offset = start; offset < end; offset += 1) {
    const unit = text.charCodeAt(offset);
    if (!isAsciiLetter(unit) && (unit < 50 || unit > 55)) return false;
  }
  return true;
}

function startOfKind(text: string, kind: string, underscore: number): number {
  let offset = skipBackslashes(text, underscore) - 1;
  for (let index = kind.length - 1; index >= 0; index -= 1, offset -= 1) {
    const unit = text.charCodeAt(offset);
    const expectedUnit = kind.charCodeAt(index);
    if (expectedUnit === UNDERSCORE) {
      if (unit !== UNDERSCORE) return -1;
      offset = skipBackslashes(text, offset);
    } else if (unit >= 128 || (unit & ~32) !== expectedUnit) return -1;
  }
  return offset + 1;
}

/**
 * Returns the offset of the backslashes before an underscore, or of the underscore if there are
 * none. Markdown escapes the underscore, and JSON escapes that backslash.
 */
function skipBackslashes(text: string, underscore: number): number {
  let offset = underscore;
  while (underscore - offset < 2 && text.charCodeAt(offset - 1) === BACKSLASH) offset -= 1;
  return offset;
}

function hasBrackets(text: string, start: number, end: number): boolean {
  return text.startsWith('[[', start - 2) && start >= 2 && text.startsWith(']]', end);
}
