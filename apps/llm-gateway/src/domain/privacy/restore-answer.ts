import type { Dialect, JsonObject } from '@witan/dialects';
import { editJsonStrings } from '@witan/privacy';
import { restoreText } from './restore-text.ts';
import type { Restoring } from './restore-text.ts';

/**
 * A provider's whole answer, or its error, with the values of the call where the model wrote
 * placeholders; every other byte stays. `parsed` is what the text holds.
 */
export const restoreAnswer = (
  text: string,
  parsed: JsonObject,
  { dialect, ...restoring }: Restoring & { dialect: Pick<Dialect, 'findAnswerLeaf'> },
): string =>
  editJsonStrings(text, ({ path, isKey, json, value }) => {
    const leaf = dialect.findAnswerLeaf(path, parsed);
    if (!leaf) return undefined;
    // A number that was masked is in quotes, which it did not have.
    if (leaf.form === 'value' && !isKey) return restoreText(restoring, leaf.form, json);
    const restored = restoreText(restoring, leaf.form === 'value' ? 'text' : leaf.form, value);
    return restored === value ? undefined : JSON.stringify(restored);
  });
