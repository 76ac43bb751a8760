/** The most code units of a normalised key. */
export const MEMORY_KEY_LENGTH_MAX = 128;

/**
 * What makes two keys one (C4 `key_norm`): compatibility forms and case do not count, and every run
 * of what is no letter, mark or digit of any script is one `_`, none at the ends. Empty when the
 * key has nothing else. Normalising twice changes nothing.
 */
export function toKeyNorm(key: string): string {
  if (NORMAL.test(key)) return key;
  const words = foldText(key).replaceAll(BETWEEN_WORDS, '_');
  const trimmed = words.startsWith('_') ? words.slice(1) : words;
  const cut = trimmed.slice(0, MEMORY_KEY_LENGTH_MAX);
  // A cut may halve a character, or end at a separator.
  return cut.replace(/[\ud800-\udbff]$/u, '').replace(/_$/, '');
}

/** Keys that are normal already, as nearly all are: told fast. */
const NORMAL = /^(?=.{1,128}$)[a-z0-9]+(?:_[a-z0-9]+)*$/;

const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/gu;

/** Without compatibility forms and case; lower-casing may decompose, so it is composed again. */
export const foldText = (text: string): string =>
  text.normalize('NFKC').toLowerCase().normalize('NFKC');
