import { describe, expect, it } from '@jest/globals';
import type { Frame } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import { readFrame } from './response.ts';

const start = (block: JsonObject) =>
  JSON.stringify({ type: 'content_block_start', index: 0, content_block: block });
const delta = (change: unknown) =>
  JSON.stringify({ type: 'content_block_delta', index: 0, delta: change });

const FRAMES: readonly (readonly [string, string | undefined, Frame['kind']])[] = [
  ['a comment', undefined, 'lifecycle'],
  ['the start', '{"type":"message_start","message":{"usage":{"input_tokens":3}}}', 'lifecycle'],
  ['a ping', '{"type":"ping"}', 'lifecycle'],
  ['an empty text block', start({ type: 'text', text: '' }), 'lifecycle'],
  ['a block of text', start({ type: 'text', text: 'a' }), 'content'],
  ['empty thinking', start({ type: 'thinking', thinking: '', signature: '' }), 'lifecycle'],
  ['a signature', start({ type: 'thinking', thinking: '', signature: 's' }), 'content'],
  ['encrypted thinking', start({ type: 'redacted_thinking', data: 'x' }), 'content'],
  ['a call', start({ type: 'tool_use', id: '1', name: 'f', input: {} }), 'content'],
  ['an unknown block', start({ type: 'novelty' }), 'content'],
  ['a block that is none', '{"type":"content_block_start"}', 'lifecycle'],
  ['words', delta({ type: 'text_delta', text: 'a' }), 'content'],
  ['empty text', delta({ type: 'text_delta', text: '' }), 'lifecycle'],
  ['thoughts', delta({ type: 'thinking_delta', thinking: 'a' }), 'content'],
  ['a signature', delta({ type: 'signature_delta', signature: 's' }), 'content'],
  ['arguments', delta({ type: 'input_json_delta', partial_json: '{' }), 'content'],
  ['no arguments', delta({ type: 'input_json_delta', partial_json: '' }), 'lifecycle'],
  ['an unknown delta', delta({ type: 'novelty' }), 'content'],
  ['an invalid delta', delta(5), 'lifecycle'],
  ['the end of a block', '{"type":"content_block_stop","index":0}', 'lifecycle'],
  ['why it ended', '{"type":"message_delta","delta":{},"usage":{}}', 'content'],
  ['the end', '{"type":"message_stop"}', 'done'],
  ["the other dialect's end", ' [DONE] ', 'done'],
  ['an error', '{"type":"error","error":{"type":"overloaded_error","message":""}}', 'error'],
  ['an error without a type', '{"error":{"message":"x"}}', 'error'],
  ['an object without a type', '{"a":1}', 'lifecycle'],
  ['an event that is unknown', '{"type":"novelty"}', 'lifecycle'],
  ['what is no JSON', '{"type":', 'content'],
  ['a JSON value that is no object', '[1]', 'content'],
  ['an empty event', '', 'content'],
];

describe('readFrame', () => {
  it.each(FRAMES)('classifies %s', (_name, data, kind) => {
    expect(readFrame(data).kind).toBe(kind);
  });

  it('returns parsed data only for objects', () => {
    expect(readFrame('{"type":"ping","x":1}').value).toEqual({ type: 'ping', x: 1 });
    for (const data of [undefined, '[DONE]', 'nonsense', '[1]', '"text"', 'null']) {
      expect(readFrame(data).value).toBeUndefined();
    }
  });
});
