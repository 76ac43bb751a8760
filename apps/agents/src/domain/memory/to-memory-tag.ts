import type { OpeningTag } from '../tags/open-tag-scanner.ts';
import { MEMORY_KEY_LENGTH_MAX, toKeyNorm } from './memory-key.ts';
import { toMemoryType } from './memory.ts';
import type { MemoryType } from './memory.ts';

/** What a model asked to be remembered. */
export type MemoryTag = {
  /** As the model wrote it. */
  key: string;
  keyNorm: string;
  type: MemoryType;
  value: string;
  isGlobal: boolean;
};

/** Why a tag was taken out of the answer without being kept. */
export type TagRejection = 'nested' | 'missing_key' | 'empty' | 'unterminated' | 'too_long';

/** The most code units between a tag and its end (C5). */
export const MEMORY_LENGTH_MAX = 4_000;

/** The memory in a tag that was closed, or why it is none. What the text says is data, as it is. */
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

/** Empty when the tag has no key that could be kept, or given to the API: one too long is none. */
export const toTagKeyNorm = (tag: OpeningTag): string => {
  const key = toStorableText(textOf(tag, 'key'));
  return key.length > MEMORY_KEY_LENGTH_MAX ? '' : toKeyNorm(key);
};

/** Postgres keeps neither NUL nor half a character. */
const toStorableText = (text: string): string => text.replaceAll('\0', '').toWellFormed().trim();

function textOf(tag: OpeningTag, name: string): string {
  const value = tag.attributes.get(name);
  return typeof value === 'string' ? value : '';
}

/** Without a value it is true; any value but `true` is not, because sharing is the riskier side. */
function isGlobal(tag: OpeningTag): boolean {
  const value = tag.attributes.get('global');
  return value === true || value?.trim().toLowerCase() === 'true';
}
