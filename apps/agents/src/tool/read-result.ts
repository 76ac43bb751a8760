import { isTooDeep, parseExactly } from '@witan/dialects';
import { JSON_DEPTH_MAX } from './check-tool.ts';

/**
 * Returns the JSON of a tool's response as compact text, regardless of content type; undefined if
 * it is not valid JSON or nested too deeply. Numbers are preserved exactly.
 */
export const readResult = (body: Uint8Array): string | undefined => {
  try {
    const text = UTF_8.decode(body);
    // Values nested deeper could overflow the stack when they are serialized.
    return isTooDeep(text, JSON_DEPTH_MAX) ? undefined : JSON.stringify(parseExactly(text));
  } catch {
    return undefined;
  }
};

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
