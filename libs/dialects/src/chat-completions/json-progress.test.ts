import { describe, expect, it } from '@jest/globals';
import { createJsonProgress } from './decode-stream.ts';

const isComplete = (pieces: Iterable<string>): boolean => {
  const progress = createJsonProgress();
  for (const piece of pieces) progress.addPiece(piece);
  return progress.isComplete;
};

describe('createJsonProgress', () => {
  it.each(['{}', '[]', ' {"a":{"b":[1,{}]}} ', '{"s":"}\\"]{\\\\"}', '{"😀":"\\u007d"}'])(
    'detects when %s is complete',
    (text) => {
      const characters = text.trimEnd().split('');
      expect(isComplete(characters)).toBe(true);
      expect(isComplete(characters.slice(0, -1))).toBe(false);
      expect(isComplete([text])).toBe(true);
    },
  );

  it.each(['', ' ', '"a"', '12', '{"a":"}', '{"a":"\\"}', '[[]'])(
    'is incomplete after %p',
    (text) => {
      expect(isComplete([text])).toBe(false);
    },
  );
});
