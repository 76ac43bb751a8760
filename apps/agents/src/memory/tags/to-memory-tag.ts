import type { OpeningTag } from '../../completion/tags/open-tag-scanner.ts';
import { MEMORY_KEY_LENGTH_MAX, toKeyNorm, toMemoryType } from '../memory.ts';
import type { MemoryType } from '../memory.ts';

export type MemoryTag = {
  key: string;
  keyNorm: string;
  type: MemoryType;
  value: string;
  isGlobal: boolean;
};

export type TagRejection = 'nested' | 'missing_key' | 'empty' | 'unterminated' | 'too_long';

export const MEMORY_LENGTH_MAX = 4_000;

export function toMemoryTag(tag: OpeningTag, text: string): MemoryTag | TagRejection {
  const keyNorm = toTagKeyNorm(tag);
  if (keyNorm === '') return 'missing_key';
  if (text.length > MEMORY_LENGTH_MAX) return 'too_long';
  const value = toStorableText(text);
  if (value === '') return 'empty';
  return {
    key: toStorableText(textOf(tag, 'key')),
    keyNorm,
    type: toMemoryType(textOf(tag, 'type')),
    value,
    isGlobal: isGlobal(tag),
  };
}

export const toTagKeyNorm = (tag: OpeningTag): string => {
  const key = toStorableText(textOf(tag, 'key'));
  return key.length > MEMORY_KEY_LENGTH_MAX ? '' : toKeyNorm(key);
};

/**
 * Returns trimmed text without NUL, which PostgreSQL rejects, and without lone surrogates, which
 * UTF-8 cannot encode.
 */
export const toStorableText = (text: string): string =>
  text.replaceAll('\0', '').toWellFormed().trim();

function textOf(tag: OpeningTag, name: string): string {
  const value = tag.attributes.get(name);
  return typeof value === 'string' ? value : '';
}

/**
 * Returns true for `global` without a value and for the value `true`; any other value counts as
 * false, the safer choice.
 */
function isGlobal(tag: OpeningTag): boolean {
  const value = tag.attributes.get('global');
  return value === true || value?.trim().toLowerCase() === 'true';
}
