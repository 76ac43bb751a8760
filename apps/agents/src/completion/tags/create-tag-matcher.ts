import { isTagSpace } from './tag-phase.ts';

export type TagStart = { name: string; isClosing: boolean; end: number };

/**
 * Returns the start of a tag at the `<` at position `at`; undefined if there is none, or `more` if
 * that depends on further input. The name must be followed by space, `>`, or in an opening tag `/`:
 * `<memoryx>` does not match.
 */
export type TagMatcher = (text: string, at: number) => TagStart | 'more' | undefined;

export function createTagMatcher(names: readonly string[]): TagMatcher {
  // Fast path: the first character after `<` is enough to exclude most text.
  const isFirstLetter = new Uint8Array(128);
  for (const name of names) {
    const first = name.charCodeAt(0);
    isFirstLetter[first] = 1;
    isFirstLetter[first & ~LOWER_CASE_BIT] = 1;
  }

  return (text, at) => {
    const isClosing = text.charCodeAt(at + 1) === SLASH;
    const nameAt = at + (isClosing ? 2 : 1);
    if (nameAt >= text.length) return 'more';
    if (isFirstLetter[text.charCodeAt(nameAt)] !== 1) return undefined;
    let isCut = false;
    for (const name of names) {
      const matched = countMatching(text, nameAt, name);
      const end = nameAt + matched;
      if (end === text.length) isCut = true;
      else if (matched === name.length && canFollowName(text.charCodeAt(end), isClosing))
        return { name, isClosing, end };
    }
    return isCut ? 'more' : undefined;
  };
}

const SLASH = 0x2f;
const GREATER_THAN = 0x3e;
const LOWER_CASE_BIT = 0x20;

function countMatching(text: string, from: number, name: string): number {
  const length = Math.min(name.length, text.length - from);
  let count = 0;
  while (
    count < length &&
    (text.charCodeAt(from + count) | LOWER_CASE_BIT) === name.charCodeAt(count)
  )
    count += 1;
  return count;
}

function canFollowName(code: number, isClosing: boolean): boolean {
  return code === GREATER_THAN || isTagSpace(code) || (code === SLASH && !isClosing);
}
