import { ServiceError } from '@witan/contracts';
import type { AnswerLeaf } from '@witan/dialects';
import type { RestoreStream, Restorer } from '@witan/privacy';

/** How a call's answer is restored. */
export type Restoring = {
  restorer: Restorer;
  /** The client asked for JSON. */
  wantsJson: boolean;
  /** Hears of every value that is put back, and throws when it was too much. */
  onRestore: (length: number) => void;
};

/** Largest sum of all values that are put back into one answer, in UTF-16 units. */
const RESTORED_MAX = 32 * 1024 * 1024;

/** A model can say a short placeholder of a long value very often: the sum is bounded. */
export const createRestoring = (restorer: Restorer, wantsJson: boolean): Restoring => {
  let left = RESTORED_MAX;
  return {
    restorer,
    wantsJson,
    onRestore: (length) => {
      left -= length;
      if (left >= 0) return;
      const message = `The values that were masked make the answer larger than ${RESTORED_MAX}.`;
      throw new ServiceError('PROVIDER_INVALID_ANSWER', message);
    },
  };
};

/** A stream for words of a form that come in pieces; `first` is the first of them. */
export const openRestoreStream = (
  { restorer, wantsJson, onRestore }: Restoring,
  form: AnswerLeaf['form'],
  first: string,
): RestoreStream => {
  const isJson = JSON_BEGINS.test(first) || (wantsJson && first.trim() === '[');
  return restorer.createRestoreStream({ insideJson: form !== 'text' || isJson, onRestore });
};

/** Words that are whole. */
export const restoreText = (
  restoring: Restoring,
  form: AnswerLeaf['form'],
  text: string,
): string => {
  const stream = openRestoreStream(restoring, form, text);
  return stream.push(text) + stream.end();
};

/** Prose does not begin so, whether JSON was asked for or not; in it values must be escaped. */
const JSON_BEGINS = /^\s*(?:```json\s*)?(?:\{|\[\s*["{])/;
