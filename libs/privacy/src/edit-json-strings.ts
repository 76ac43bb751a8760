import { decodeString, walkJson } from './mask/walk-json.ts';
import type { JsonPath } from './mask/walk-json.ts';

/** A string leaf or a key of a JSON text. */
export type StringLeaf = {
  /** The list is reused: copy what is kept. It ends in the key itself, of a key. */
  path: JsonPath;
  isKey: boolean;
  /** As it stands in the text, with its quotes. */
  json: string;
  value: string;
};

/**
 * Replaces string leaves and keys of a valid JSON text and leaves every other byte as it is: white
 * space, number spellings. `edit` answers the JSON text that takes its place; undefined leaves it.
 * Throws {@link JsonDepthError}.
 */
export function editJsonStrings(
  text: string,
  edit: (leaf: StringLeaf) => string | undefined,
): string {
  let edited = '';
  let copied = 0;
  walkJson(text, ({ kind, start, end, path }) => {
    if (kind === 'number') return;
    const json = text.slice(start - 1, end + 1);
    const value = decodeString(text, start, end);
    const replacement = edit({ path, isKey: kind === 'key', json, value });
    if (replacement === undefined || replacement === json) return;
    edited += text.slice(copied, start - 1) + replacement;
    copied = end + 1;
  });
  return edited + text.slice(copied);
}
