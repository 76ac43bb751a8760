import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LABEL_TEXT } from './text-pattern.ts';

const label = new RegExp(LABEL_TEXT, 'u');
const CONTROL = /\p{Cc}/u;
const MIB = 1024 * 1024;
const LAST_CODE_POINT = 0x10_ffff;

describe('LABEL_TEXT', () => {
  const unit = fc.oneof(
    fc.constantFrom(' ', ' ', '\u00a0', '\n', '\0', 'a'),
    fc.string({ unit: 'binary' }),
  );

  it('accepts every text without control characters that has a non-blank one', () => {
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = units.join('');
        const isLabel = !CONTROL.test(text) && text.trim() !== '';
        expect([text, label.test(text)]).toEqual([text, isLabel]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds at each character whether the white space continues, so it never backtracks', () => {
    const [, blank, first] = /^\^(\[.*?\])\*(\[.*?\])/.exec(LABEL_TEXT)!;
    const [isBlank, isFirst] = [new RegExp(blank!, 'u'), new RegExp(first!, 'u')];
    const isAmbiguous = (text: string): boolean => isBlank.test(text) && isFirst.test(text);
    const ambiguous: string[] = [];
    for (let code = 0; code <= LAST_CODE_POINT; code += 1) {
      const text = String.fromCodePoint(code);
      if (isAmbiguous(text)) ambiguous.push(text);
    }
    expect(ambiguous).toEqual([]);
  });

  it.each([
    ['white space', ' '.repeat(MIB), false],
    ['letters before a control character', `${'a'.repeat(MIB)}\n`, false],
    ['letters', 'a'.repeat(MIB), true],
  ])('decides on 1 MiB of %s', (_name, text, isLabel) => {
    expect(label.test(text)).toBe(isLabel);
  });
});
