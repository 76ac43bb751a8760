import { FUNCTION_WORDS } from '../../../knowledge/search/function-words.ts';

/** Negations, which are not stop words, because they reverse the meaning of a sentence. */
export const NEGATIONS: ReadonlySet<string> = toSet(
  'not no never none nobody nothing nowhere neither nor without cannot',
);

/**
 * Words that are dropped from English texts. Other function words are retained: their weights are
 * low anyway, and some distinguish meanings, such as "before" and "after".
 */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = toSet(`
  a an and are as at be by for from has have in is it of on or that the this to was were will with
`);

export const ENGLISH_FUNCTION_WORDS: ReadonlySet<string> = toSet(`
  a about after all also am an and any are as at be because been but by can could did do does for
  from had has have he her his how i if in into is it its may me might must my of on or our shall
  she should so some such than that the their them then there these they this those to too us very
  was we were what when where which who whom whose why will with would you your
`);

const FOREIGN_NEGATIONS = toSet('nicht pas no non sin nao sem niet');

export const FOREIGN_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  [...FUNCTION_WORDS].filter(
    (word) =>
      !ENGLISH_FUNCTION_WORDS.has(word) && !NEGATIONS.has(word) && !FOREIGN_NEGATIONS.has(word),
  ),
);

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}
