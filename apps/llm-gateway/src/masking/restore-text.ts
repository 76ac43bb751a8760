import { ServiceError } from '@witan/contracts';
import type { Dialect, JsonObject, AnswerLeaf } from '@witan/dialects';
import { editJsonStrings } from '@witan/privacy';
import type { RestoreStream, Restorer } from '@witan/privacy';

export type RestoreContext = {
  restorer: Restorer;
  wantsJson: boolean;
  /** Called with the length of every restored value; throws when the limit is exceeded. */
  onRestore: (length: number) => void;
};

/** Limit of all values restored into one answer, in UTF-16 units. */
const RESTORED_MAX = 32 * 1024 * 1024;

/**
 * Creates a context that limits the length of all restored values, because a model can repeat a
 * short placeholder of a long value very often.
 */
export const createRestoreContext = (restorer: Restorer, wantsJson: boolean): RestoreContext => {
  let remaining = RESTORED_MAX;
  return {
    restorer,
    wantsJson,
    onRestore: (length) => {
      remaining -= length;
      if (remaining >= 0) return;
      const message = `The values that were masked make the answer larger than ${RESTORED_MAX}.`;
      throw new ServiceError('PROVIDER_INVALID_ANSWER', message);
    },
  };
};

/**
 * Opens a stream that restores one text. `first` is the first piece of the text; for the form
 * `text` it decides whether restored values are escaped for JSON.
 */
export const openRestoreStream = (
  { restorer, wantsJson, onRestore }: RestoreContext,
  form: AnswerLeaf['form'],
  first: string,
): RestoreStream => {
  const isJson = JSON_BEGINS.test(first) || (wantsJson && LIST_BEGINS.test(first));
  return restorer.createRestoreStream({ insideJson: form !== 'text' || isJson, onRestore });
};

export const restoreText = (
  restoreContext: RestoreContext,
  form: AnswerLeaf['form'],
  text: string,
): string => {
  const stream = openRestoreStream(restoreContext, form, text);
  return stream.push(text) + stream.end();
};

/**
 * Matches the start of a text that is treated as JSON, in which restored values must be escaped.
 */
const JSON_BEGINS = /^\s*(?:```json\s*)?(?:\{|\[\s*["{])/;
const LIST_BEGINS = /^\s*\[\s*(?:[^\s[]|$)/;
const UNDECIDED = /^\s*(?:\[\s*|`{1,3}|```j|```js|```jso|```json\s*(?:\[\s*)?)$/;

/**
 * Returns the beginning of a text without white space if more of the text decides whether it is
 * treated as JSON; undefined if that is decided: each piece of a text and the whole text, which
 * later events repeat, must be treated alike. `head` is what was returned for the pieces before; no
 * decision depends on its white space, so its length is limited.
 */
export const findUndecided = (head: string, piece: string): string | undefined =>
  UNDECIDED.test(head + piece) ? (head + piece).replaceAll(/\s+/g, '') : undefined;

export const restoreAnswer = (
  text: string,
  parsed: JsonObject,
  { dialect, ...restoreContext }: RestoreContext & { dialect: Pick<Dialect, 'findAnswerLeaf'> },
): string =>
  editJsonStrings(text, (string) => {
    const leaf = dialect.findAnswerLeaf(string.path, parsed);
    if (!leaf) return undefined;
    const { isKey, json, value } = string;
    // A masked number became a quoted placeholder; restoring it removes the quotes.
    if (leaf.form === 'value' && !isKey) return restoreText(restoreContext, leaf.form, json);
    const restored = restoreText(restoreContext, leaf.form === 'value' ? 'text' : leaf.form, value);
    return restored === value ? undefined : JSON.stringify(restored);
  });
