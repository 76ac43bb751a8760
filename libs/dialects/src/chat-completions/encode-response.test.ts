import { describe, expect, it } from '@jest/globals';
import type { AnswerHead, AnswerPiece, AnswerTail } from '../dialect.ts';
import { encodeResponse, encodeUsage, toFinishReason } from './encode-response.ts';

const head: AnswerHead = {
  id: '1',
  model: 'm',
  created: 1_700_000_000,
  promptTokensEstimate: 3,
  wantsUsage: false,
};
const usage = { promptTokens: 5, completionTokens: 2, totalTokens: 7, estimated: false };
const tail: AnswerTail = { finishReason: 'stop', usage, stopSequence: '' };
const encode = (...pieces: AnswerPiece[]): unknown => encodeResponse(head, pieces, tail);
const encodeMessage = (message: object): unknown =>
  expect.objectContaining({ choices: [expect.objectContaining({ message })] });

describe('encodeResponse', () => {
  it('has all members that clients read', () => {
    expect(encode({ case: 'text', value: 'a' }, { case: 'text', value: 'b' })).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'ab', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    });
  });

  it('has null content beside calls, and preserves their arguments', () => {
    const pieces: AnswerPiece[] = [
      { case: 'toolCall', value: { id: 'a', name: 'f' } },
      { case: 'toolArguments', value: '{"x":' },
      { case: 'toolArguments', value: ' 1.0}' },
      { case: 'toolCall', value: { id: 'b', name: 'g' } },
    ];
    expect(encode(...pieces)).toEqual(
      encodeMessage({
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x": 1.0}' } },
          { id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
        ],
      }),
    );
  });

  it('encodes reasoning as other runtimes do, without signatures', () => {
    const pieces: AnswerPiece[] = [
      { case: 'reasoning', value: 'hm' },
      { case: 'reasoningSignature', value: 's' },
      { case: 'redactedReasoning', value: 'r' },
      { case: 'text', value: 'a' },
    ];
    expect(encode(...pieces)).toEqual(
      encodeMessage({ role: 'assistant', content: 'a', refusal: null, reasoning_content: 'hm' }),
    );
  });

  it('encodes a refusal', () => {
    expect(encode({ case: 'refusal', value: 'no' })).toEqual(
      encodeMessage({ role: 'assistant', content: null, refusal: 'no' }),
    );
  });

  it('encodes an empty answer as empty text', () => {
    expect(encode()).toEqual(encodeMessage({ role: 'assistant', content: '', refusal: null }));
  });
});

describe('encodeUsage', () => {
  it('distinguishes zero from an unknown count', () => {
    expect(encodeUsage({ ...usage, cachedTokens: 0, reasoningTokens: 0 })).toEqual({
      prompt_tokens: 5,
      completion_tokens: 2,
      total_tokens: 7,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
    expect(encodeUsage({ ...usage, cacheWriteTokens: 4 })).toMatchObject({
      prompt_tokens_details: { cache_write_tokens: 4 },
    });
  });
});

describe('toFinishReason', () => {
  it.each(['stop', 'length', 'tool_calls', 'content_filter'] as const)('preserves %s', (reason) => {
    expect(toFinishReason(reason)).toBe(reason);
  });

  it.each(['aborted', 'error', 'lost'] as const)('throws for the finish reason %s', (reason) => {
    expect(() => toFinishReason(reason)).toThrow('error frame');
  });
});
