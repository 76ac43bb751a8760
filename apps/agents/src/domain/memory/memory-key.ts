/** The most code units of a normalised key. */
export const MEMORY_KEY_LENGTH_MAX = 128;

/**
 * What makes two keys one (C4 `key_norm`): compatibility forms and case do not count, and every run
 * of what is no letter, mark or digit of any script is one `_`, none at the ends. Empty when the
 * key has nothing else, or more than the limit: cut short, it could be another key's and overwrite
 * that one's memory. Normalising twice changes nothing.
 */
export function toKeyNorm(key: string): string {
  if (NORMAL.test(key)) return key;
  const words = foldText(key).replaceAll(BETWEEN_WORDS, '_').replaceAll(/^_|_$/g, '');
  return words.length > MEMORY_KEY_LENGTH_MAX ? '' : words;
}

/** Keys that are normal already, as nearly all are: told fast. */
const NORMAL = /^(?=.{1,128}$)[a-z0-9]+(?:_[a-z0-9]+)*$/;

const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/gu;

/** Without compatibility forms and case; lower-casing may decompose, so it is composed again. */
export const foldText = (text: string): string =>
  text.normalize('NFKC').toLowerCase().normalize('NFKC');
