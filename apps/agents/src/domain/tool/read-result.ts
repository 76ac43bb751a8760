import { isTooDeep, parseExactly } from '@witan/dialects';
import { JSON_DEPTH_MAX } from './check-tool.ts';

/**
 * Returns the JSON of a response as compact text, regardless of content type; undefined if it is
 * invalid or too deep. Numbers are preserved exactly.
 */
export const readResult = (body: Uint8Array): string | undefined => {
  try {
    const text = UTF_8.decode(body);
    // Deeper values would overflow the stack when they are serialized.
    return isTooDeep(text, JSON_DEPTH_MAX) ? undefined : JSON.stringify(parseExactly(text));
  } catch {
    return undefined;
  }
};

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
