import { describe, expect, it } from '@jest/globals';
import type { AnswerPiece } from '../dialect.ts';
import { decodeResponse } from './decode-response.ts';

const decode = (message: unknown, index: unknown = 0): AnswerPiece[] =>
  decodeResponse({ choices: [{ index, message }] }).pieces;

describe('decodeResponse', () => {
  it('decodes all content of a message in order', () => {
    const message = {
      role: 'assistant',
      content: 'Hi.',
      refusal: 'Not that.',
      reasoning_content: 'Hm.',
      reasoning: 'Hm.',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x": 1.0}' } },
        { id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
      ],
    };
    expect(decode(message)).toEqual([
      { case: 'reasoning', value: 'Hm.' },
      { case: 'text', value: 'Hi.' },
      { case: 'refusal', value: 'Not that.' },
      { case: 'toolCall', value: { id: 'a', name: 'f' } },
      { case: 'toolArguments', value: '{"x": 1.0}' },
      { case: 'toolCall', value: { id: 'b', name: 'g' } },
    ]);
  });

  it.each([
    [
      'reasoning under its alternative name',
      { reasoning: 'r' },
      [{ case: 'reasoning', value: 'r' }],
    ],
    [
      'content in parts',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'x', text: 'no' },
          { type: 'text', text: 'b' },
        ],
      },
      [{ case: 'text', value: 'ab' }],
    ],
    [
      'calls without ids, and arguments that are objects',
      {
        tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }, { function: { name: 'g' } }],
      },
      [
        { case: 'toolCall', value: { id: 'call_0', name: 'f' } },
        { case: 'toolArguments', value: '{"a":1}' },
        { case: 'toolCall', value: { id: 'call_1', name: 'g' } },
      ],
    ],
    ['nulls and empty texts', { content: null, refusal: null, tool_calls: [], reasoning: '' }, []],
  ])('reads %s', (_name, message, expected) => {
    expect(decode(message)).toEqual(expected);
  });

  it('decodes only the choice with index 0', () => {
    const choices = [
      { index: 1, message: { content: 'b' } },
      { index: 0, message: { content: 'a' } },
    ];
    expect(decodeResponse({ choices }).pieces).toEqual([{ case: 'text', value: 'a' }]);
    expect(decode({ content: 'a' }, undefined)).toEqual([{ case: 'text', value: 'a' }]);
    expect(decodeResponse({ choices: [choices[0]] }).pieces).toEqual([]);
  });

  it.each([
    {},
    { choices: null },
    { choices: [] },
    { choices: [null, 1] },
    { choices: [{ message: 'x' }] },
    { choices: [{ message: { content: 5, tool_calls: [null, 'x', {}, { function: 1 }] } }] },
  ])('returns empty members for %j instead of throwing', (body) => {
    expect(decodeResponse(body)).toEqual({ pieces: [], stopSequence: '' });
  });
});
