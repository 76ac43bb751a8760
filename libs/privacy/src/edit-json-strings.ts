import { decodeString, walkJson } from './mask/walk-json.ts';
import type { JsonPath } from './mask/walk-json.ts';

export type StringLeaf = {
  /**
   * Keys and indexes from the root to the string; the path of a key ends with the key itself. The
   * array is reused, so copy it to retain it.
   */
  path: JsonPath;
  isKey: boolean;
  json: string;
  value: string;
};

/**
 * Replaces strings and keys of a valid JSON text and leaves every other byte unchanged. `edit`
 * returns JSON, or undefined to leave a string unchanged. Throws {@link JsonDepthError} if objects
 * or arrays are nested too deeply.
 */
export function editJsonStrings(
  text: string,
  edit: (leaf: StringLeaf) => string | undefined,
): string {
  let editedText = '';
  let copied = 0;
  for (const { kind, start, end, path } of walkJson(text)) {
    if (kind === 'number') continue;
    const json = text.slice(start - 1, end + 1);
    const value = decodeString(text, start, end);
    const replacement = edit({ path, isKey: kind === 'key', json, value });
    if (replacement === undefined || replacement === json) continue;
    editedText += text.slice(copied, start - 1) + replacement;
    copied = end + 1;
  }
  return editedText + text.slice(copied);
}
