import { ID_LENGTH, NAME_KINDS } from './placeholder-name.ts';

export type Lookalike = {
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
  for (let at = text.indexOf('_'); at >= 0; at = text.indexOf('_', at + 1)) {
    const end = at + 1 + ID_LENGTH;
    if (end > text.length || !isId(text, at + 1, end)) continue;
    for (const kind of NAME_KINDS) {
      const start = startOfKind(text, kind, at);
      if (start < 0) continue;
      const name = `${kind}_${text.slice(at + 1, end).toUpperCase()}`;
      found.push({ start, end, name, inBrackets: hasBrackets(text, start, end) });
    }
  }
  return found;
}

function isId(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (!isLetter(unit) && (unit < 50 || unit > 55)) return false;
  }
  return true;
}

function isLetter(unit: number): boolean {
  const lower = unit | 32;
  return lower >= 97 && lower <= 122 && unit < 128;
}

function startOfKind(text: string, kind: string, underscore: number): number {
  let at = skipBackslashes(text, underscore) - 1;
  for (let index = kind.length - 1; index >= 0; index -= 1, at -= 1) {
    const unit = text.charCodeAt(at);
    const wanted = kind.charCodeAt(index);
    if (wanted === UNDERSCORE) {
      if (unit !== UNDERSCORE) return -1;
      at = skipBackslashes(text, at);
    } else if (unit >= 128 || (unit & ~32) !== wanted) return -1;
  }
  return at + 1;
}

/**
 * Returns the offset of the first backslash before an underscore. Markdown escapes the underscore,
 * and JSON escapes that backslash.
 */
function skipBackslashes(text: string, underscore: number): number {
  let at = underscore;
  while (underscore - at < 2 && text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
  return at;
}

function hasBrackets(text: string, start: number, end: number): boolean {
  return text.startsWith('[[', start - 2) && start >= 2 && text.startsWith(']]', end);
}
