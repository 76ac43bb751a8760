import { describe, expect, it } from '@jest/globals';
import { readFrame } from './response.ts';
import type { Frame } from '../dialect.ts';

const choice = (delta: unknown, finish: unknown = null): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });

const FRAMES: readonly (readonly [string, string | undefined, Frame['kind']])[] = [
  ['a comment', undefined, 'lifecycle'],
  ['the terminal event', '[DONE]', 'done'],
  ['the terminal event with spaces', ' [DONE] ', 'done'],
  ['a role alone', choice({ role: 'assistant' }), 'lifecycle'],
  ['a role with empty text', choice({ role: 'assistant', content: '' }), 'lifecycle'],
  ['a role with null text', choice({ role: 'assistant', content: null }), 'lifecycle'],
  ['an empty delta', choice({}), 'lifecycle'],
  ['no delta at all', JSON.stringify({ choices: [{ index: 0 }] }), 'lifecycle'],
  ['an empty list of tool calls', choice({ tool_calls: [] }), 'lifecycle'],
  ['text', choice({ content: 'a' }), 'content'],
  ['a space', choice({ content: ' ' }), 'content'],
  ['text with the role', choice({ role: 'assistant', content: 'a' }), 'content'],
  ['a tool call', choice({ tool_calls: [{ index: 0, id: 'c', function: {} }] }), 'content'],
  ['a refusal', choice({ refusal: 'no' }), 'content'],
  ['reasoning', choice({ reasoning_content: 'hm' }), 'content'],
  ['an unknown field', choice({ audio: { data: 'x' } }), 'content'],
  ['a finish reason', choice({}, 'stop'), 'content'],
  [
    'text in the second choice only',
    JSON.stringify({ choices: [{ delta: {} }, { delta: { content: 'b' } }] }),
    'content',
  ],
  ['the usage chunk', JSON.stringify({ choices: [], usage: { total_tokens: 3 } }), 'usage'],
  ['usage without choices', JSON.stringify({ usage: { total_tokens: 3 } }), 'usage'],
  ['usage that is null', JSON.stringify({ choices: [], usage: null }), 'lifecycle'],
  ['no choices and no usage', JSON.stringify({ id: 'x' }), 'lifecycle'],
  [
    'usage beside text',
    JSON.stringify({ choices: [{ delta: { content: 'a' } }], usage: { total_tokens: 3 } }),
    'content',
  ],
  ['an error', JSON.stringify({ error: { message: 'overloaded' } }), 'error'],
  ['an error beside choices', JSON.stringify({ error: { message: 'x' }, choices: [] }), 'error'],
  ['an error that is a string', JSON.stringify({ error: 'x' }), 'error'],
  ['an error that is null', choice({ content: 'a' }).replace('{', '{"error":null,'), 'content'],
  ['what is no JSON', '{"choices":', 'content'],
  ['a JSON value that is no object', '[1]', 'content'],
  ['an empty event', '', 'content'],
];

describe('readFrame', () => {
  it.each(FRAMES)('classifies %s', (_name, data, kind) => {
    expect(readFrame(data).kind).toBe(kind);
  });

  it('returns parsed data only for objects', () => {
    expect(readFrame('{"choices":[],"x":1}').value).toEqual({ choices: [], x: 1 });
    for (const data of [undefined, '[DONE]', 'nonsense', '[1]', '"text"', 'null']) {
      expect(readFrame(data).value).toBeUndefined();
    }
  });
});
