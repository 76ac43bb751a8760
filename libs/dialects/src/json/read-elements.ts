import { skipSpace, skipValue } from './read-members.ts';

export type Element = { start: number; end: number };

const COMMA = 0x2c;
const CLOSE = 0x5d;

export const readElements = (source: string, start: number): Element[] => {
  const elements: Element[] = [];
  let offset = skipSpace(source, start + 1);
  if (source.charCodeAt(offset) === CLOSE) return elements;
  for (;;) {
    const end = skipValue(source, offset);
    elements.push({ start: offset, end });
    offset = skipSpace(source, end);
    if (source.charCodeAt(offset) === CLOSE) return elements;
    if (source.charCodeAt(offset) !== COMMA) {
      throw new Error('readElements was given text that is not JSON.');
    }
    offset = skipSpace(source, offset + 1);
  }
};
