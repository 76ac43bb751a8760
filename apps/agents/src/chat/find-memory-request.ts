import { FUNCTION_WORDS } from '../knowledge/search/function-words.ts';
import { splitWords } from '../knowledge/search/split-words.ts';
import { MEMORY_LENGTH_MAX, toStorableText } from '../memory/tags/to-memory-tag.ts';
import type { MemoryTag } from '../memory/tags/to-memory-tag.ts';
import { toKeyNorm } from '../memory/memory.ts';

/** What is requested stands at the start of a message; later text is often pasted. */
const SEARCHED_LENGTH = 2_000;
const KEY_WORDS_MAX = 4;

/**
 * Returns what a person asks to remember in plain words, such as "Please remember: we have two
 * shops", in English, German, Spanish or French, as a memory in the person's own words. Small
 * models often write no tag for it. Returns undefined for a message without such a request.
 */
export const findMemoryRequest = (message: string): MemoryTag | undefined => {
  const found = REQUEST.exec(message.slice(0, SEARCHED_LENGTH))?.groups?.['value'];
  const value = toStorableText(found ?? '');
  if (value === '' || value.endsWith('?') || value.length > MEMORY_LENGTH_MAX) return undefined;
  const key = toKey(value);
  return { key, keyNorm: toKeyNorm(key), type: 'fact', value, isGlobal: false };
};

const POLITE = String.raw`(?:(?:please|bitte|por favor|s['’]il (?:te|vous) pla[iî]t),? )?`;
const VERBS = [
  `(?:remember|do not forget|don['’]t forget)(?! (?:when|how|who|what|where|why|if|me)(?!\\p{L}))`,
  '(?:merke? dir|merken sie sich|vergiss nicht|vergessen sie nicht)',
  '(?:recuerda|recuerde|no olvides|no olvide)',
  "(?:retiens|retenez|souviens-toi|souvenez-vous|n[’']oublie(?:z)? pas)",
].join('|');
/** A request at the start of a sentence, and the rest of this sentence. */
const REQUEST = new RegExp(
  String.raw`(?:^|[.!?]\s+|\n)\s*${POLITE}(?:${VERBS})(?: bitte)?(?:,? (?:that|this|dass|que))?` +
    String.raw`(?:\s*[:,]\s*|\s+)(?<value>\P{White_Space}(?:[^\n.!?]|[.!?](?!\s|$))*[.!?]?)`,
  'iu',
);

/** A key that the same request with other figures has, too. */
const toKey = (value: string): string => {
  const words = splitWords(value).filter((word) => !FUNCTION_WORDS.has(word) && !/\d/u.test(word));
  return words.slice(0, KEY_WORDS_MAX).join('_') || 'note';
};
