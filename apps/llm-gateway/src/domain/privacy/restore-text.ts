import { ServiceError } from '@witan/contracts';
import type { AnswerLeaf } from '@witan/dialects';
import type { RestoreStream, Restorer } from '@witan/privacy';

/** How the answer of one call is restored. */
export type Restoring = {
  restorer: Restorer;
  /** The client asked for JSON. */
  wantsJson: boolean;
  /** Called with the length of every restored value; throws when the limit is exceeded. */
  onRestore: (length: number) => void;
};

/** Limit of all values restored into one answer, in UTF-16 units. */
const RESTORED_MAX = 32 * 1024 * 1024;

/** A model can repeat a short placeholder of a long value very often, so the sum is bounded. */
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

/** Opens a stream for text that comes in pieces; `first` is the first piece. */
export const openRestoreStream = (
  { restorer, wantsJson, onRestore }: Restoring,
  form: AnswerLeaf['form'],
  first: string,
): RestoreStream => {
  const isJson = JSON_BEGINS.test(first) || (wantsJson && first.trim() === '[');
  return restorer.createRestoreStream({ insideJson: form !== 'text' || isJson, onRestore });
};

/** Restores a complete text. */
export const restoreText = (
  restoring: Restoring,
  form: AnswerLeaf['form'],
  text: string,
): string => {
  const stream = openRestoreStream(restoring, form, text);
  return stream.push(text) + stream.end();
};

/** A text that begins like this is JSON, in which restored values must be escaped. */
const JSON_BEGINS = /^\s*(?:```json\s*)?(?:\{|\[\s*["{])/;
