import { describe, expect, it } from '@jest/globals';
import { parsePartialJson } from './partial-json.ts';

const VALUE = {
  marketSize: { value: 120_000.5, unit: 'EUR "net"', region: null, known: true },
  trends: ['Sour\\dough 🥖', 'two\nlines'],
  competitors: [{ name: 'Paul', strengths: [] }, { name: 'Kayser' }],
};

/** Returns whether the part has nothing that the whole has not, and begins each of its texts. */
const isBeginning = (part: unknown, whole: unknown): boolean => {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (part === undefined) return false;
  if (typeof part !== 'object' || part === null) return part === whole;
  return Object.entries(part).every(([name, value]) =>
    isBeginning(value, (whole as Record<string, unknown>)[name]),
  );
};

describe('a JSON text that is being written', () => {
  it.each([
    ['compact', JSON.stringify(VALUE)],
    ['indented', JSON.stringify(VALUE, undefined, 2)],
    ['with escapes', JSON.stringify(VALUE).replace('🥖', '\\ud83e\\udd56')],
  ])('is a beginning of the whole value at each of its characters: %s', (_name, text) => {
    for (let end = 1; end <= text.length; end += 1) {
      const part = text.slice(0, end);
      expect([part, isBeginning(parsePartialJson(part), VALUE)]).toEqual([part, true]);
    }
    expect(parsePartialJson(text)).toEqual(VALUE);
  });

  it.each([
    ['{"a', {}],
    ['{"a":', {}],
    ['{"a":1', {}],
    ['{"a":1,', { a: 1 }],
    ['{"a":tru', {}],
    ['["x", "y', ['x', 'y']],
    ['["x\\', ['x']],
    ['["x\\u00', ['x']],
    ['["x\\\\', ['x\\']],
    ['', undefined],
    ['{a: 1}', undefined],
    ['{"a": "x"} }', undefined],
  ])('%s', (text, value) => {
    expect(parsePartialJson(text)).toEqual(value);
  });
});
