import { isTooDeep, parseExactly } from '@witan/dialects';
import { JSON_DEPTH_MAX } from './check-tool.ts';

/**
 * The JSON of a 2xx answer (Seed 4.7), whatever type it says it has, as text without white space;
 * undefined when it is none that can be handed on. Numbers stay as they were written, however long.
 */
export const readResult = (body: Uint8Array): string | undefined => {
  try {
    const text = UTF_8.decode(body);
    // Deeper ones take the stack of who writes them again.
    return isTooDeep(text, JSON_DEPTH_MAX) ? undefined : JSON.stringify(parseExactly(text));
  } catch {
    return undefined;
  }
};

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
