import { skipSpace, skipValue } from './read-members.ts';

/** Where an element of a JSON list stands in the source. */
export type Element = { start: number; end: number };

const COMMA = 0x2c;
const CLOSE = 0x5d;

/**
 * The elements of the list whose `[` stands at `start`, in their order. `source` must be JSON text
 * (it has been parsed before); throws on text that is none.
 */
export const readElements = (source: string, start: number): Element[] => {
  const elements: Element[] = [];
  let at = skipSpace(source, start + 1);
  if (source.charCodeAt(at) === CLOSE) return elements;
  for (;;) {
    const end = skipValue(source, at);
    elements.push({ start: at, end });
    at = skipSpace(source, end);
    if (source.charCodeAt(at) === CLOSE) return elements;
    if (source.charCodeAt(at) !== COMMA) {
      throw new Error('readElements was given text that is not JSON.');
    }
    at = skipSpace(source, at + 1);
  }
};
