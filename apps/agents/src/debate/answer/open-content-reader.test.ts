import { describe, expect, it } from '@jest/globals';
import { openContentReader } from './open-content-reader.ts';

const readPieces = (pieces: readonly string[]): string[] => {
  const texts: string[] = [];
  const reader = openContentReader((text) => texts.push(text));
  for (const piece of pieces) reader.push(piece);
  return texts;
};

const CONTENTS = [
  'Open it.',
  'a "quoted" word, a \\ and a\nline\tend',
  'Grüße, 東京, 👍 and 👩‍🚀',
  '</MEMORY> {"content":"x"}',
  '',
];

describe('openContentReader', () => {
  it.each(CONTENTS)('emits %j regardless of how the stream is split', (content) => {
    const escaped = [...JSON.stringify(content)]
      .map((unit) => (unit > '\u{ffff}' ? unit.replace(/./su, toEscapes) : unit))
      .join('');
    for (const inside of [JSON.stringify(content), escaped]) {
      const raw = ` {\n "content" : ${inside}, "position": "no part of it"}`;
      for (let index = 0; index <= raw.length; index += 1) {
        expect(readPieces([raw.slice(0, index), raw.slice(index)]).join('')).toBe(content);
      }
      const texts = readPieces([...raw]);
      expect(texts.join('')).toBe(content);
      expect(texts.every((text) => text.isWellFormed())).toBe(true);
    }
  });

  it('finds content in a code fence', () => {
    expect(readPieces(['```json\n{"content":"Yes."}'])).toEqual(['Yes.']);
  });

  it.each(['Yes, open it.', '{"position":"x","content":"late"}', '[{"content":"x"}]', ''])(
    'emits nothing for %j',
    (raw) => {
      expect(readPieces([raw, raw, ' '.repeat(300), '{"content":"x"}'])).toEqual([]);
    },
  );
});

const toEscapes = (unit: string): string =>
  Array.from(
    { length: unit.length },
    (_one, index) => `\\u${unit.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
