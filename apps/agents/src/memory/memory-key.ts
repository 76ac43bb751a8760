export const MEMORY_KEY_LENGTH_MAX = 128;

/**
 * Normalizes a key: folds compatibility forms and case, and replaces each run of characters other
 * than letters, marks and digits by `_`. Returns an empty text if nothing remains or the result is
 * too long, because a truncated key could overwrite another memory.
 */
export function toKeyNorm(key: string): string {
  if (NORMALIZED_KEY.test(key)) return key;
  const words = foldText(key).replaceAll(BETWEEN_WORDS, '_').replaceAll(/^_|_$/g, '');
  return words.length > MEMORY_KEY_LENGTH_MAX ? '' : words;
}

/** Matches most normalized keys; a fast path, because nearly all keys are already normalized. */
const NORMALIZED_KEY = /^(?=.{1,128}$)[a-z0-9]+(?:_[a-z0-9]+)*$/;

const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/gu;

/**
 * Folds case and compatibility forms. Normalizes twice, because lower-casing may decompose
 * characters.
 */
export const foldText = (text: string): string =>
  text.normalize('NFKC').toLowerCase().normalize('NFKC');
