import type { AnswerLeaf } from '@witan/dialects';
import type { RestoreStream, Restorer } from '@witan/privacy';

/** How a call's answer is restored. */
export type Restoring = {
  restorer: Restorer;
  /** The client asked for JSON: values are escaped as it demands. */
  wantsJson: boolean;
};

/** A stream for words of a form that come in pieces; `first` is the first of them. */
export const openRestoreStream = (
  { restorer, wantsJson }: Restoring,
  form: AnswerLeaf['form'],
  first: string,
): RestoreStream => {
  const insideJson = form !== 'text' || (wantsJson && JSON_BEGINS.test(first));
  return restorer.createRestoreStream({ insideJson });
};

/** Words that are whole. */
export const restoreWords = (
  restoring: Restoring,
  form: AnswerLeaf['form'],
  words: string,
): string => {
  const stream = openRestoreStream(restoring, form, words);
  return stream.push(words) + stream.end();
};

const JSON_BEGINS = /^\s*[[{]/;
