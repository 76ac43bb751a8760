import { isTooDeep, parseExactly } from '@witan/dialects';
import { JSON_DEPTH_MAX } from './check-tool.ts';

/** What a tool answered, or undefined when it is no JSON that can be handed on. */
export type ReadResult = { value: unknown } | undefined;

/**
 * Reads the body of a 2xx answer (Seed 4.7), whatever type it says it has. Numbers stay as they
 * were written, however long.
 */
export const readResult = (body: Uint8Array): ReadResult => {
  try {
    const text = UTF_8.decode(body);
    // Deeper ones take the stack of who writes them again.
    return isTooDeep(text, JSON_DEPTH_MAX) ? undefined : { value: parseExactly(text) };
  } catch {
    return undefined;
  }
};

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
