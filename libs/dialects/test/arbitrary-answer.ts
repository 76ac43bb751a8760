import fc from 'fast-check';
import type { AnswerPiece, AnswerTail } from '../src/dialect.ts';
import { arbitraryObjectText, arbitraryText } from './arbitrary-conversation.ts';
import type { ConversationKind } from './arbitrary-conversation.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/);
const MAX_PIECES = 6;

const pieceOf = (kind: 'text' | 'reasoning' | 'reasoningSignature' | 'redactedReasoning') =>
  arbitraryText.map((value): AnswerPiece[] => [{ case: kind, value }]);

const call = fc.tuple(word, word, arbitraryObjectText).map(([id, name, text]): AnswerPiece[] => [
  { case: 'toolCall', value: { id, name } },
  { case: 'toolArguments', value: text },
]);

/**
 * Generates complete answers in which no adjacent pieces can be joined. Answers of the kind
 * `common`, which both dialects can express, have reasoning before text before tool calls, and no
 * signatures.
 */
export const arbitraryAnswer = (kind: ConversationKind): fc.Arbitrary<AnswerPiece[]> => {
  const most = (maxLength: number) => ({ maxLength });
  if (kind === 'common') {
    const calls = fc.array(call, most(MAX_PIECES)).map((list) => list.flat());
    return fc
      .tuple(fc.option(pieceOf('reasoning')), fc.option(pieceOf('text')), calls)
      .map(([reasoning, text, rest]) => [...(reasoning ?? []), ...(text ?? []), ...rest])
      .filter((pieces) => pieces.length > 0);
  }
  const signedReasoning = fc
    .tuple(pieceOf('reasoning'), pieceOf('reasoningSignature'))
    .map((pieces) => pieces.flat());
  return fc
    .array(fc.oneof(pieceOf('text'), signedReasoning, pieceOf('redactedReasoning'), call), {
      minLength: 1,
      maxLength: MAX_PIECES,
    })
    .map((list) => joinPieces(list.flat()));
};

type JoinablePiece = Extract<
  AnswerPiece,
  { case: 'text' | 'reasoning' | 'toolArguments' | 'refusal' }
>;
const JOINABLE_CASES: readonly AnswerPiece['case'][] = [
  'text',
  'reasoning',
  'toolArguments',
  'refusal',
];
const isJoinable = (piece: AnswerPiece): piece is JoinablePiece =>
  JOINABLE_CASES.includes(piece.case);

export const joinPieces = (pieces: readonly AnswerPiece[]): AnswerPiece[] => {
  const joined: AnswerPiece[] = [];
  for (const next of pieces) {
    const last = joined.at(-1);
    if (last?.case === next.case && isJoinable(last) && isJoinable(next)) {
      joined[joined.length - 1] = { case: last.case, value: last.value + next.value };
    } else joined.push(next);
  }
  return joined;
};

export const splitPieces = (pieces: readonly AnswerPiece[], size: number): AnswerPiece[] =>
  pieces.flatMap((next): AnswerPiece[] => {
    if (!isJoinable(next)) return [next];
    const count = Math.ceil(next.value.length / size);
    return Array.from({ length: count }, (_item, index) => ({
      case: next.case,
      value: next.value.slice(index * size, (index + 1) * size),
    }));
  });

export const arbitraryTail: fc.Arbitrary<AnswerTail> = fc
  .record({
    finishReason: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter'),
    fresh: fc.nat(10_000),
    cachedTokens: fc.option(fc.nat(10_000), { nil: undefined }),
    cacheWriteTokens: fc.option(fc.nat(10_000), { nil: undefined }),
    completionTokens: fc.nat(10_000),
    reasoningTokens: fc.option(fc.nat(10_000), { nil: undefined }),
  })
  .map(({ finishReason, fresh, completionTokens, ...details }) => {
    const promptTokens = fresh + (details.cachedTokens ?? 0) + (details.cacheWriteTokens ?? 0);
    const totalTokens = promptTokens + completionTokens;
    const counts = { promptTokens, completionTokens, totalTokens, estimated: false };
    return { finishReason, stopSequence: '', usage: { ...counts, ...details } };
  });
