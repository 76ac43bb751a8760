import { isTagSpace } from './tag-phase.ts';

/** `<name` or `</name` and where it ends: what follows is for a reader of the tag. */
export type TagStart = { name: string; isClosing: boolean; end: number };

/**
 * What begins at a `<`: undefined for no tag, `more` when only what follows can tell. A name counts
 * only when space, `>`, or for an opening tag `/`, stands behind it, so that `<memoryx>` is none.
 */
export type TagMatcher = (text: string, at: number) => TagStart | 'more' | undefined;

/** A matcher of tags of these names: lower-case letters, which are matched in any case. */
export function createTagMatcher(names: readonly string[]): TagMatcher {
  // Most that stands behind a `<` is told by its first character.
  const mayBegin = new Uint8Array(128);
  for (const name of names) {
    const first = name.charCodeAt(0);
    mayBegin[first] = 1;
    mayBegin[first & ~LOWER_CASE] = 1;
  }

  return (text, at) => {
    const isClosing = text.charCodeAt(at + 1) === SLASH;
    const nameAt = at + (isClosing ? 2 : 1);
    if (nameAt >= text.length) return 'more';
    if (mayBegin[text.charCodeAt(nameAt)] !== 1) return undefined;
    let isCut = false;
    for (const name of names) {
      const matched = countMatching(text, nameAt, name);
      const end = nameAt + matched;
      if (end === text.length) isCut = true;
      else if (matched === name.length && mayFollow(text.charCodeAt(end), isClosing))
        return { name, isClosing, end };
    }
    return isCut ? 'more' : undefined;
  };
}

const SLASH = 0x2f;
const GREATER = 0x3e;
const LOWER_CASE = 0x20;

/** How many characters of the name stand there, in either case. */
function countMatching(text: string, from: number, name: string): number {
  const length = Math.min(name.length, text.length - from);
  let count = 0;
  while (count < length && (text.charCodeAt(from + count) | LOWER_CASE) === name.charCodeAt(count))
    count += 1;
  return count;
}

function mayFollow(code: number, isClosing: boolean): boolean {
  return code === GREATER || isTagSpace(code) || (code === SLASH && !isClosing);
}
