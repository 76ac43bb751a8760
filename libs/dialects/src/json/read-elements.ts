import { skipSpace, skipValue } from './read-members.ts';

export type Element = { start: number; end: number };

const COMMA = 0x2c;
const CLOSE = 0x5d;

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
