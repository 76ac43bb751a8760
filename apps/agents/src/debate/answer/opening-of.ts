/** Smallest number of words of a statement; shorter texts, such as "cash", name a topic only. */
const STATEMENT_WORDS_MIN = 4;
const SENTENCE_END = /(?<=[.!?…]["'”’)]*)\s+|(?<=[。！？])|\n+/u;

/**
 * Returns the first sentence of a text on one line, together with the following ones while it has
 * fewer than four words, as in "No. I am clearly against it."
 */
export const openingOf = (text: string): string => {
  const sentences = splitSentences(text);
  let words = 0;
  const last = sentences.findIndex((sentence) => {
    words += countWords(sentence);
    return words >= STATEMENT_WORDS_MIN;
  });
  return sentences.slice(0, last === -1 ? undefined : last + 1).join(' ');
};

export const splitSentences = (text: string): string[] =>
  text
    .split(SENTENCE_END)
    .map((sentence) => sentence.replaceAll(/\s+/gu, ' ').trim())
    .filter((sentence) => sentence !== '');

/** Matches a word, or a character of a script without spaces. */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]|[^\s\p{P}]+/gu;

const countWords = (text: string): number => (text.match(WORD) ?? []).length;

export const isShort = (text: string): boolean => countWords(text) < STATEMENT_WORDS_MIN;
