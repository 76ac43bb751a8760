import { describe, expect, it } from '@jest/globals';
import { openWrapperReader } from './open-wrapper-reader.ts';

const read = (pieces: readonly string[], isCut = false): string => {
  const reader = openWrapperReader();
  return pieces.map(reader.push).join('') + reader.end({ isCut });
};

describe('openWrapperReader', () => {
  it.each([
    ['<answer>Wait.</answer>', 'Wait.'],
    ['\n<Answer type="final">\nWait.\n</answer>\nBye.', '\n\nWait.\n\nBye.'],
    ['<answer>Wait.', 'Wait.'],
    ['The tag <answer> wraps an </answer>.', 'The tag <answer> wraps an </answer>.'],
    ['<answers>', '<answers>'],
    ['a < b', 'a < b'],
    ['', ''],
  ])('reads %j at any split', (text, expected) => {
    for (let index = 0; index <= text.length; index += 1) {
      expect(read([text.slice(0, index), text.slice(index)])).toBe(expected);
    }
  });

  it('drops the beginning of a tag at which an answer is cut off', () => {
    expect(read(['<answer>Wait. </ans'], true)).toBe('Wait. ');
  });
});
