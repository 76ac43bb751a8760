const WORDS = new Intl.Segmenter('en', { granularity: 'word' });
const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
const STEM_LENGTH = 6;
/** Frequent English words, and verbs of commands, which do not show what a text is about. */
const STOP_WORDS = new Set(
  `get fetch find search list look query call run create read show tell a about all an and any are
  as at be but by can could did do does for from had has have he how i if in into is it its may
  me my no not of on or our please she should so some than that the their them then there they
  this to us was we were what when where which who why will with would you your`.split(/\s+/u),
);

/**
 * Returns the distinct words of a text except stop words, each without a final `s` and cut to 6
 * UTF-16 units, so that "return", "returns" and "returned" are one term.
 */
export const termsOf = (text: string): Set<string> =>
  new Set(
    [...WORDS.segment(text.toLowerCase())]
      .filter(({ isWordLike, segment }) => isWordLike && !STOP_WORDS.has(segment))
      .map(({ segment }) => segment.replace(/(?<=\w{3})s$/u, '').slice(0, STEM_LENGTH)),
  );

/** Returns the sentences of a text; a line break ends a sentence, too. */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/[\n\r\u2028\u2029]+/u)
    .flatMap((line) => [...SENTENCES.segment(line.trim().replace(/^[-*•>#]+\s+/u, ''))])
    .map(({ segment }) => segment.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
