import type { OpeningTag } from '../tags/open-tag-scanner.ts';
import { MEMORY_KEY_LENGTH_MAX, toKeyNorm } from './memory-key.ts';
import { toMemoryType } from './memory.ts';
import type { MemoryType } from './memory.ts';

/** A memory that a model asked to store. */
export type MemoryTag = {
  /** As the model wrote it. */
  key: string;
  keyNorm: string;
  type: MemoryType;
  value: string;
  isGlobal: boolean;
};

/** Why a tag was removed without being stored. */
export type TagRejection = 'nested' | 'missing_key' | 'empty' | 'unterminated' | 'too_long';

/** Most UTF-16 units between an opening and a closing tag. */
export const MEMORY_LENGTH_MAX = 4_000;

/** Returns the memory of a closed tag, or the reason of its rejection. */
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

/** Returns the normalized key; empty for a missing or too long one. */
export const toTagKeyNorm = (tag: OpeningTag): string => {
  const key = toStorableText(textOf(tag, 'key'));
  return key.length > MEMORY_KEY_LENGTH_MAX ? '' : toKeyNorm(key);
};

/** PostgreSQL rejects NUL, UTF-8 lone surrogates. */
const toStorableText = (text: string): string => text.replaceAll('\0', '').toWellFormed().trim();

function textOf(tag: OpeningTag, name: string): string {
  const value = tag.attributes.get(name);
  return typeof value === 'string' ? value : '';
}

/** True without a value or for `true`; any other value is false, the safer choice. */
function isGlobal(tag: OpeningTag): boolean {
  const value = tag.attributes.get('global');
  return value === true || value?.trim().toLowerCase() === 'true';
}
