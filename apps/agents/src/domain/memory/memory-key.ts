/** Longest normalized key, in UTF-16 units. */
export const MEMORY_KEY_LENGTH_MAX = 128;

/**
 * Normalizes a key, idempotently: compatibility forms and case are folded, every run of other
 * characters than letters, marks and digits becomes one `_`, trimmed. Empty if nothing remains or
 * the result exceeds the limit: a truncated key could overwrite another memory.
 */
export function toKeyNorm(key: string): string {
  if (NORMAL.test(key)) return key;
  const words = foldText(key).replaceAll(BETWEEN_WORDS, '_').replaceAll(/^_|_$/g, '');
  return words.length > MEMORY_KEY_LENGTH_MAX ? '' : words;
}

/** A fast path: nearly all keys are already normalized. */
const NORMAL = /^(?=.{1,128}$)[a-z0-9]+(?:_[a-z0-9]+)*$/;

const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/gu;

/**
 * Folds compatibility forms and case; lower-casing may decompose, so the text is composed again.
 */
export const foldText = (text: string): string =>
  text.normalize('NFKC').toLowerCase().normalize('NFKC');
