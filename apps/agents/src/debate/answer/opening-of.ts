/** Smallest number of words of a statement; shorter texts, such as "cash", name a topic only. */
const STATEMENT_WORDS_MIN = 4;
const SENTENCE_END = /(?<=[.!?…]["'”’)]*)\s+|(?<=[。！？])|\n+/u;

/**
 * Returns the first sentence of a text on one line, together with the following ones while it has
 * fewer than four words, as in "No. I am clearly against it."
 */
export const openingOf = (text: string): string => {
  const sentences = splitSentences(text);
  let opening = '';
  for (const sentence of sentences) {
    opening = opening === '' ? sentence : `${opening} ${sentence}`;
    if (!isShort(opening)) break;
  }
  return opening;
};

export const splitSentences = (text: string): string[] =>
  text
    .split(SENTENCE_END)
    .map((sentence) => sentence.replaceAll(/\s+/gu, ' ').trim())
    .filter((sentence) => sentence !== '');

/** Matches a word, or a character of a script without spaces. */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]|[^\s\p{P}]+/gu;

export const isShort = (text: string): boolean =>
  (text.match(WORD) ?? []).length < STATEMENT_WORDS_MIN;
