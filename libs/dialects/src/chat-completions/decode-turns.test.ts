import { create, toJson } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { ConversationSchema } from '@witan/contracts';
import type { JsonObject } from '../json/json-value.ts';
import { decodeTurns } from './decode-turns.ts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';

const decode = (...messages: unknown[]) => {
  const dropped = createDroppedFields();
  const instructed = decodeTurns(messages, dropped);
  const conversation = toJson(ConversationSchema, create(ConversationSchema, instructed));
  return { ...(conversation as JsonObject), dropped: dropped.names() };
};

const text = (value: string) => ({ text: { text: value } });
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown, extra: object = {}) => ({
  role: 'assistant',
  content,
  ...extra,
});
const tool = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content });
const call = (id: string, extra: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{"a": 1.0}' },
  ...extra,
});
const toolCall = (id: string) => ({ toolCall: { id, name: 'f', arguments: '{"a": 1.0}' } });
const result = (toolCallId: string, ...parts: object[]) => ({
  toolResult: { toolCallId, ...(parts.length > 0 && { parts }) },
});

describe('decodeTurns', () => {
  it('moves all instructions to the front, in order', () => {
    const decoded = decode(
      { role: 'system', content: 'a' },
      user('x'),
      { role: 'developer', content: [{ type: 'text', text: 'b' }] },
      user('y'),
    );
    expect(decoded).toEqual({
      system: [{ text: 'a' }, { text: 'b' }],
      turns: [{ role: 'user', parts: [text('x'), text('y')] }],
      dropped: [],
    });
  });

  it('merges adjacent messages of one role, tool results first', () => {
    const decoded = decode(
      user('x'),
      assistant('a', { tool_calls: [call('1')] }),
      assistant(null, { tool_calls: [call('2')] }),
      tool('1', 'one'),
      user('y'),
      tool('2', ''),
    );
    expect(decoded).toMatchObject({
      turns: [
        { role: 'user', parts: [text('x')] },
        { role: 'assistant', parts: [text('a'), toolCall('1'), toolCall('2')] },
        { role: 'user', parts: [result('1', text('one')), result('2'), text('y')] },
      ],
    });
  });

  it('preserves arguments exactly, and decodes absent ones as empty text', () => {
    const calls = [call('1'), call('2', { function: { name: 'f' } })];
    expect(decode(assistant('', { tool_calls: calls }))).toMatchObject({
      turns: [{ parts: [toolCall('1'), { toolCall: { id: '2', name: 'f' } }] }],
    });
  });

  it('decodes a refusal as member or as part', () => {
    const parts = [{ type: 'refusal', refusal: 'no' }];
    const refused = [{ role: 'assistant', parts: [{ refusal: { text: 'no' } }] }];
    expect(decode(assistant(parts))).toMatchObject({ turns: refused });
    expect(decode(assistant(null, { refusal: 'no' }))).toMatchObject({ turns: refused });
  });

  it('decodes results with images and files', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
    const media = { image: { media: { mediaType: 'image/png', base64: 'AA==' } } };
    expect(decode(tool('1', [{ type: 'text', text: 'see' }, image]))).toMatchObject({
      turns: [{ role: 'user', parts: [result('1', text('see'), media)] }],
    });
  });

  it('omits an empty assistant message', () => {
    const empty = [assistant(''), assistant(null), assistant([]), { role: 'assistant' }];
    expect(decode(user('x'), ...empty, user('y'))).toMatchObject({
      turns: [{ role: 'user', parts: [text('x'), text('y')] }],
    });
  });

  it('preserves an empty user message', () => {
    expect(decode(user(''))).toMatchObject({ turns: [{ role: 'user', parts: [{ text: {} }] }] });
  });

  it.each([
    ['the name of a participant', { ...user('x'), name: 'ada' }, 'messages[].name'],
    [
      'the name of a system message',
      { role: 'system', content: 'x', name: 'a' },
      'messages[].name',
    ],
    [
      'unsigned reasoning',
      assistant('x', { reasoning_content: 'hm' }),
      'messages[].reasoning_content',
    ],
    ['annotations', assistant('x', { annotations: [] }), 'messages[].annotations'],
    ['the name of a tool', { ...tool('1', 'x'), name: 'f' }, 'messages[].name'],
    [
      'unknown members of calls',
      assistant('x', { tool_calls: [call('1', { extra_content: {} })] }),
      'messages[].tool_calls[].extra_content',
    ],
  ])('reports %s as dropped', (_name, message, expected) => {
    expect(decode(message, message)).toMatchObject({ dropped: [expected] });
  });

  it('ignores members that are null', () => {
    const nothing = {
      refusal: null,
      audio: null,
      function_call: null,
      tool_calls: null,
      name: null,
    };
    expect(decode(assistant('x', nothing))).toMatchObject({ dropped: [] });
  });

  it.each([
    ['audio answers', assistant('x', { audio: { id: 'a' } }), 'messages[1].audio'],
    ['legacy function calls', assistant(null, { function_call: {} }), 'messages[1].function_call'],
    ['legacy function results', { role: 'function', name: 'f' }, 'messages[1].role'],
    [
      'calls of custom tools',
      assistant(null, { tool_calls: [call('1'), { id: '2', type: 'custom' }] }),
      'messages[1].tool_calls[1].type',
    ],
    ['images by an assistant', assistant([{ type: 'image_url' }]), 'messages[1].content[0].type'],
    [
      'images in instructions',
      { role: 'system', content: [{ type: 'file' }] },
      'messages[1].content[0].type',
    ],
    ['audio in results', tool('1', [{ type: 'input_audio' }]), 'messages[1].content[0].type'],
  ])('refuses %s, which the neutral form cannot express', (_name, message, param) => {
    expect(() => decode(user('x'), message)).toThrow(
      expect.objectContaining({ fields: { param, code: 'unsupported_parameter' } }),
    );
  });

  it.each([
    ['a message that is a text', 'x', 'messages[0]'],
    ['an unknown role', { role: 'model', content: 'x' }, 'messages[0].role'],
    ['a user without content', { role: 'user' }, 'messages[0].content'],
    ['an instruction without content', { role: 'system', content: null }, 'messages[0].content'],
    ['a result without an id', { role: 'tool', content: 'x' }, 'messages[0].tool_call_id'],
    ['calls that are not a list', assistant('', { tool_calls: {} }), 'messages[0].tool_calls'],
    [
      'a call without an id',
      assistant('', { tool_calls: [call('')] }),
      'messages[0].tool_calls[0].id',
    ],
    [
      'a call without a function',
      assistant('', { tool_calls: [{ id: '1' }] }),
      'messages[0].tool_calls[0].function',
    ],
    [
      'arguments that are not text',
      assistant('', { tool_calls: [call('1', { function: { name: 'f', arguments: {} } })] }),
      'messages[0].tool_calls[0].function.arguments',
    ],
    ['a refusal that is not text', assistant('', { refusal: 1 }), 'messages[0].refusal'],
  ])('refuses %s as invalid', (_name, message, param) => {
    expect(() => decode(message)).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param } }),
    );
  });
});
