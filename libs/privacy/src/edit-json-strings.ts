import { decodeString, walkJson } from './mask/walk-json.ts';
import type { JsonPath } from './mask/walk-json.ts';

/** A string leaf of a JSON text. */
export type StringLeaf = {
  /** The list is reused: copy what is kept. */
  path: JsonPath;
  /** As it stands in the text, with its quotes. */
  json: string;
  value: string;
};

/**
 * Replaces string leaves of a valid JSON text and leaves every other byte as it is: keys, white
 * space, number spellings. `edit` answers the JSON text that takes the leaf's place; undefined
 * leaves it. Text that nests deeper than 256 stays as it is.
 */
export function editJsonStrings(
  text: string,
  edit: (leaf: StringLeaf) => string | undefined,
): string {
  let edited = '';
  let copied = 0;
  const isWhole = walkJson(text, ({ kind, start, end, path }) => {
    if (kind !== 'string') return;
    const json = text.slice(start - 1, end + 1);
    const replacement = edit({ path, json, value: decodeString(text, start, end) });
    if (replacement === undefined || replacement === json) return;
    edited += text.slice(copied, start - 1) + replacement;
    copied = end + 1;
  });
  return isWhole ? edited + text.slice(copied) : text;
}
