import { describe, expect, it } from '@jest/globals';
import type { AnswerPiece } from '@witan/dialects';
import { createPieceNormalizer } from './relay-neutral.ts';

const text = (value: string): AnswerPiece => ({ case: 'text', value });
const toReasoningPiece = (value: string): AnswerPiece => ({ case: 'reasoning', value });
const call: AnswerPiece = { case: 'toolCall', value: { id: '1', name: 'f' } };

const normalizeAll = (...pieces: AnswerPiece[]): AnswerPiece[] => {
  const normalizer = createPieceNormalizer();
  return [...pieces.flatMap((piece) => normalizer.normalize([piece])), ...normalizer.end()];
};

describe('createPieceNormalizer', () => {
  it.each([
    ['leaves whole text alone', [text('a😀'), text('b')], [text('a😀'), text('b')]],
    ['joins a split surrogate pair', [text('a\ud83d'), text('\ude00b')], [text('a'), text('😀b')]],
    ['replaces a high surrogate without a low one', [text('a\ud83d')], [text('a'), text('\ufffd')]],
    ['replaces a low surrogate without a high one', [text('\ude00')], [text('\ufffd')]],
    [
      'does not join halves from different kinds of pieces',
      [text('\ud83d'), toReasoningPiece('\ude00')],
      [text('\ufffd'), toReasoningPiece('\ufffd')],
    ],
    ['emits a buffered half before a tool call', [text('\ud83d'), call], [text('\ufffd'), call]],
    ['drops empty text', [text('')], []],
  ])('%s', (_name, pieces, expected) => {
    expect(normalizeAll(...pieces)).toEqual(expected);
  });
});
