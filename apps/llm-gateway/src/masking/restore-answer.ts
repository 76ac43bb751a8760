import type { Dialect, JsonObject } from '@witan/dialects';
import { editJsonStrings } from '@witan/privacy';
import { restoreText } from './restore-text.ts';
import type { RestoreContext } from './restore-text.ts';

export const restoreAnswer = (
  text: string,
  parsed: JsonObject,
  { dialect, ...restoreContext }: RestoreContext & { dialect: Pick<Dialect, 'findAnswerLeaf'> },
): string =>
  editJsonStrings(text, ({ path, isKey, json, value }) => {
    const leaf = dialect.findAnswerLeaf(path, parsed);
    if (!leaf) return undefined;
    // A masked number became a quoted placeholder; restoring it removes the quotes.
    if (leaf.form === 'value' && !isKey) return restoreText(restoreContext, leaf.form, json);
    const restored = restoreText(restoreContext, leaf.form === 'value' ? 'text' : leaf.form, value);
    return restored === value ? undefined : JSON.stringify(restored);
  });
