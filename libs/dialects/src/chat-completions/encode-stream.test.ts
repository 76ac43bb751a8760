import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createSseSplitter } from '@witan/proof';
import type { AnswerHead, AnswerPiece, AnswerTail } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import { createStreamDecoder } from './decode-stream.ts';
import { createStreamEncoder } from './encode-stream.ts';
import { readFrame } from './response.ts';

const head: AnswerHead = {
  id: '1',
  model: 'a "model"',
  created: 1_700_000_000,
  promptTokensEstimate: 3,
  wantsUsage: true,
};
const usage = {
  promptTokens: 5,
  completionTokens: 2,
  totalTokens: 7,
  estimated: false,
  cachedTokens: 4,
};
const tail: AnswerTail = { finishReason: 'tool_calls', usage, stopSequence: '' };

const encode = (pieces: readonly AnswerPiece[], wantsUsage = true): string => {
  const encoder = createStreamEncoder({ ...head, wantsUsage });
  return encoder.open() + pieces.map(encoder.piece).join('') + encoder.end(tail);
};
const chunksOf = (stream: string): JsonObject[] =>
  stream
    .split('\n\n')
    .map((frame) => frame.slice('data: '.length))
    .filter((data) => data !== '' && data !== '[DONE]')
    .map((data) => JSON.parse(data) as JsonObject);

const ANSWER: readonly AnswerPiece[] = [
  { case: 'reasoning', value: 'Hm.' },
  { case: 'reasoningSignature', value: 'signed' },
  { case: 'redactedReasoning', value: 'hidden' },
  { case: 'text', value: 'Two\nlines "quoted".' },
  { case: 'toolCall', value: { id: 'call_a', name: 'look_up' } },
  { case: 'toolArguments', value: '{"id":' },
  { case: 'toolArguments', value: ' 1.0}' },
  { case: 'toolCall', value: { id: 'call_b', name: 'today' } },
  { case: 'toolArguments', value: '{}' },
  { case: 'refusal', value: 'No more.' },
];

describe('createStreamEncoder', () => {
  it('writes a stream as in the golden file', () => {
    const expected = readFileSync(new URL('golden/answer-stream.txt', import.meta.url), 'utf8');
    expect(encode(ANSWER)).toBe(expected);
  });

  it('sends the role only in the first chunk', () => {
    const roles = chunksOf(encode(ANSWER)).map(({ choices }) =>
      JSON.stringify(choices).includes('"role"'),
    );
    expect(roles.indexOf(true)).toBe(0);
    expect(roles.lastIndexOf(true)).toBe(0);
  });

  it('sends the same id, time and model in every chunk', () => {
    for (const chunk of chunksOf(encode(ANSWER))) {
      expect(chunk).toMatchObject({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: 'a "model"',
      });
    }
  });

  it('sends one finish reason', () => {
    const finished = chunksOf(encode(ANSWER)).filter(({ choices }) =>
      JSON.stringify(choices).includes('"finish_reason":"tool_calls"'),
    );
    expect(finished).toHaveLength(1);
  });

  it('sends usage in one last chunk without choices, only if requested', () => {
    const withUsage = chunksOf(encode(ANSWER)).filter((chunk) => 'usage' in chunk);
    expect(withUsage).toHaveLength(1);
    expect(chunksOf(encode(ANSWER)).at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } },
    });
    expect(encode(ANSWER, false)).not.toContain('usage');
  });

  it('ends with [DONE]', () => {
    expect(encode([]).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('counts calls from 0, whatever precedes them', () => {
    const indexes = chunksOf(encode(ANSWER)).flatMap(({ choices }) =>
      [...JSON.stringify(choices).matchAll(/"tool_calls":\[\{"index":(\d)/g)].map(
        ([, index]) => index,
      ),
    );
    expect(indexes).toEqual(['0', '0', '0', '1', '1']);
  });

  it('omits arguments without a call', () => {
    expect(createStreamEncoder(head).piece({ case: 'toolArguments', value: '{}' })).toBe('');
  });

  it('round-trips through its decoder, however the bytes are split', () => {
    const word = fc.string({ unit: 'binary', minLength: 1 });
    const piece: fc.Arbitrary<AnswerPiece[]> = fc.oneof(
      word.map((value): AnswerPiece[] => [{ case: 'text', value }]),
      word.map((value): AnswerPiece[] => [{ case: 'reasoning', value }]),
      word.map((value): AnswerPiece[] => [{ case: 'refusal', value }]),
      fc.tuple(fc.uuid(), fc.object()).map(([id, value]): AnswerPiece[] => [
        { case: 'toolCall', value: { id, name: 'f' } },
        { case: 'toolArguments', value: JSON.stringify(value) },
      ]),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 1, max: 50 }), (pieces, size) => {
        const answer = pieces.flat();
        expect(readBack(encode(answer), size)).toEqual(answer);
      }),
    );
  });
});

const readBack = (stream: string, size: number): AnswerPiece[] => {
  const bytes = new TextEncoder().encode(stream);
  const splitter = createSseSplitter();
  const decoder = createStreamDecoder();
  const pieces: AnswerPiece[] = [];
  for (let offset = 0; offset < bytes.length; offset += size) {
    for (const { data } of splitter.push(bytes.subarray(offset, offset + size))) {
      const { value } = readFrame(data);
      if (value) pieces.push(...decoder.push(value));
    }
  }
  return [...pieces, ...decoder.end()];
};
