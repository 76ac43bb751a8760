import { describe, expect, it } from '@jest/globals';
import {
  CHAT_CHUNK,
  CHAT_COMPLETION,
  CHAT_ERROR,
  CHAT_MODEL,
  CHAT_MODELS,
} from './chat-schemas.ts';
import { checkSchema } from './check-schema.ts';
import {
  MESSAGE,
  MESSAGE_ERROR,
  MESSAGE_EVENT,
  MESSAGE_MODEL,
  MESSAGE_MODELS,
  TOKEN_COUNT,
} from './message-schemas.ts';
import type { Schema } from './schema.ts';

type Body = Record<string, unknown>;

const CHAT_USAGE = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const CALL = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } };
const ASSISTANT_MESSAGE = { role: 'assistant', content: null, refusal: null, tool_calls: [CALL] };
const CHOICE = {
  index: 0,
  message: ASSISTANT_MESSAGE,
  finish_reason: 'tool_calls',
  logprobs: null,
};
const HEAD = { id: 'chatcmpl-1', created: 1, model: 'm' };
const COMPLETION = { ...HEAD, object: 'chat.completion', choices: [CHOICE], usage: CHAT_USAGE };
const CHUNK_CHOICE = { index: 0, delta: { content: 'Hi' }, finish_reason: null };
const CHUNK = { ...HEAD, object: 'chat.completion.chunk', choices: [CHUNK_CHOICE] };
const CHAT_ERROR_BODY = {
  message: 'No.',
  type: 'server_error',
  param: null,
  code: 'upstream_error',
};
const CHAT_MODEL_BODY = { id: 'm', object: 'model', created: 1, owned_by: 'us' };

const USAGE = { input_tokens: 3, output_tokens: 1, cache_read_input_tokens: null };
const TOOL_USE = { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } };
const THOUGHT = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
const MESSAGE_BODY = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [THOUGHT, { type: 'text', text: 'Hi' }, TOOL_USE],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: USAGE,
};
const STARTED_MESSAGE = { ...MESSAGE_BODY, content: [], stop_reason: null };
const DELTA = { stop_reason: 'end_turn', stop_sequence: null };
const ERROR_BODY = { type: 'api_error', message: 'No.' };
const MESSAGE_MODEL_BODY = {
  type: 'model',
  id: 'm',
  display_name: 'M',
  created_at: '2026-01-01T00:00:00Z',
};

const blockStart = (content_block: object): Body => ({
  type: 'content_block_start',
  index: 0,
  content_block,
});
const blockDelta = (delta: object): Body => ({ type: 'content_block_delta', index: 0, delta });

describe('a valid body', () => {
  it.each<[string, Schema, Body]>([
    ['a completion', CHAT_COMPLETION, COMPLETION],
    ['a chunk', CHAT_CHUNK, CHUNK],
    ['a usage chunk', CHAT_CHUNK, { ...CHUNK, choices: [], usage: CHAT_USAGE }],
    ['a chat error', CHAT_ERROR, { error: CHAT_ERROR_BODY }],
    ['a chat model', CHAT_MODEL, CHAT_MODEL_BODY],
    ['chat models', CHAT_MODELS, { object: 'list', data: [CHAT_MODEL_BODY] }],
    ['a message', MESSAGE, MESSAGE_BODY],
    [
      'a message without content',
      MESSAGE,
      { ...MESSAGE_BODY, content: [], stop_reason: 'end_turn' },
    ],
    ['message_start', MESSAGE_EVENT, { type: 'message_start', message: STARTED_MESSAGE }],
    ['ping', MESSAGE_EVENT, { type: 'ping' }],
    ['a text block', MESSAGE_EVENT, blockStart({ type: 'text', text: '' })],
    ['a thinking block', MESSAGE_EVENT, blockStart({ type: 'thinking', thinking: '' })],
    ['a tool block', MESSAGE_EVENT, blockStart({ ...TOOL_USE, input: {} })],
    ['a text delta', MESSAGE_EVENT, blockDelta({ type: 'text_delta', text: '' })],
    ['a signature', MESSAGE_EVENT, blockDelta({ type: 'signature_delta', signature: 'c2ln' })],
    ['content_block_stop', MESSAGE_EVENT, { type: 'content_block_stop', index: 0 }],
    ['message_delta', MESSAGE_EVENT, { type: 'message_delta', delta: DELTA, usage: USAGE }],
    ['message_stop', MESSAGE_EVENT, { type: 'message_stop' }],
    ['an error event', MESSAGE_EVENT, { type: 'error', error: ERROR_BODY, request_id: 'req_1' }],
    ['a message error', MESSAGE_ERROR, { type: 'error', error: ERROR_BODY, request_id: 'req_1' }],
    ['a token count', TOKEN_COUNT, { input_tokens: 0 }],
    [
      'a message model',
      MESSAGE_MODEL,
      { ...MESSAGE_MODEL_BODY, lifecycle: 'active', max_tokens: null },
    ],
    [
      'message models',
      MESSAGE_MODELS,
      { data: [MESSAGE_MODEL_BODY], has_more: false, first_id: 'm', last_id: 'm' },
    ],
  ])('%s', (_, schema, body) => {
    expect(checkSchema(schema, body)).toEqual([]);
    expect(checkSchema(schema, { ...body, x_unknown: 1 })).toEqual([
      'the body must NOT have additional properties: x_unknown',
    ]);
  });
});

describe('an invalid body', () => {
  const completionWith = (more: object): Body => ({
    ...COMPLETION,
    choices: [{ ...CHOICE, ...more }],
  });
  const chunkWith = (more: object): Body => ({ ...CHUNK, choices: [{ ...CHUNK_CHOICE, ...more }] });
  const chatError = (more: object): Body => ({ error: { ...CHAT_ERROR_BODY, ...more } });
  const messageWith = (...blocks: object[]): Body => ({ ...MESSAGE_BODY, content: blocks });
  const messageStart = (more: object): Body => ({
    type: 'message_start',
    message: { ...STARTED_MESSAGE, ...more },
  });

  it.each<[string, Schema, Body, string]>([
    ['no choices', CHAT_COMPLETION, { ...COMPLETION, choices: [] }, '/choices must NOT have fewer'],
    ['no usage', CHAT_COMPLETION, { ...COMPLETION, usage: undefined }, "property 'usage'"],
    ['a negative count', CHAT_COMPLETION, { ...COMPLETION, usage: { prompt_tokens: -1 } }, '>= 0'],
    [
      'no role',
      CHAT_COMPLETION,
      completionWith({ message: { ...ASSISTANT_MESSAGE, role: 'model' } }),
      '/role must be',
    ],
    [
      'no finish_reason',
      CHAT_COMPLETION,
      completionWith({ finish_reason: null }),
      '/finish_reason must be',
    ],
    [
      'no logprobs',
      CHAT_COMPLETION,
      completionWith({ logprobs: undefined }),
      "property 'logprobs'",
    ],
    [
      'missing tool calls',
      CHAT_COMPLETION,
      completionWith({ message: { role: 'assistant', content: '', refusal: null } }),
      "property 'tool_calls'",
    ],
    [
      'an empty list of tool calls',
      CHAT_CHUNK,
      chunkWith({ delta: { tool_calls: [] } }),
      '/tool_calls',
    ],
    [
      'a tool call without an index',
      CHAT_CHUNK,
      chunkWith({ delta: { tool_calls: [CALL] } }),
      "'index'",
    ],
    [
      'an unknown finish_reason',
      CHAT_CHUNK,
      chunkWith({ finish_reason: 'end_turn' }),
      '/finish_reason must',
    ],
    ['a missing member', CHAT_ERROR, chatError({ param: undefined }), "property 'param'"],
    ['another type of error', CHAT_ERROR, chatError({ type: 'api_error' }), '/error/type must be'],
    [
      'an error without a message',
      CHAT_ERROR,
      chatError({ message: '' }),
      '/error/message must NOT have',
    ],
    [
      'no owner',
      CHAT_MODELS,
      { object: 'list', data: [{ ...CHAT_MODEL_BODY, owned_by: '' }] },
      '/owned_by',
    ],
    ['no signature', MESSAGE, messageWith({ ...THOUGHT, signature: undefined }), "'signature'"],
    ['another block', MESSAGE, messageWith({ type: 'image' }), '/content/0 value of tag "type"'],
    [
      'input as text',
      MESSAGE,
      messageWith({ ...TOOL_USE, input: '{}' }),
      '/content/0/input must be object',
    ],
    ['a missing tool call', MESSAGE, messageWith(), '/content must contain'],
    [
      'no stop_reason',
      MESSAGE,
      { ...MESSAGE_BODY, stop_reason: null },
      '/stop_reason must be equal',
    ],
    [
      'content at the start',
      MESSAGE_EVENT,
      messageStart({ content: [TOOL_USE] }),
      '/content must NOT have',
    ],
    [
      'a stop_reason at the start',
      MESSAGE_EVENT,
      messageStart({ stop_reason: 'end_turn' }),
      '/stop_reason',
    ],
    [
      'many output tokens at the start',
      MESSAGE_EVENT,
      messageStart({ usage: { ...USAGE, output_tokens: 2 } }),
      '/message/usage/output_tokens must be equal to one of',
    ],
    [
      'text at once',
      MESSAGE_EVENT,
      blockStart({ type: 'text', text: 'Hi' }),
      '/text must be equal',
    ],
    ['input at once', MESSAGE_EVENT, blockStart(TOOL_USE), '/content_block/input must be equal'],
    [
      'another delta',
      MESSAGE_EVENT,
      blockDelta({ type: 'json_delta' }),
      '/delta value of tag "type"',
    ],
    ['another event', MESSAGE_EVENT, { type: 'done' }, 'the body value of tag "type"'],
    ['no request id', MESSAGE_ERROR, { type: 'error', error: ERROR_BODY }, "property 'request_id'"],
    ['an error of the other dialect', MESSAGE_ERROR, { error: CHAT_ERROR_BODY }, "property 'type'"],
    ['a fractional count', TOKEN_COUNT, { input_tokens: 0.5 }, '/input_tokens must be integer'],
    [
      'a time in seconds',
      MESSAGE_MODEL,
      { ...MESSAGE_MODEL_BODY, created_at: 1 },
      '/created_at must be string',
    ],
    [
      'a list without has_more',
      MESSAGE_MODELS,
      { data: [MESSAGE_MODEL_BODY] },
      "property 'has_more'",
    ],
  ])('%s', (_, schema, body, message) => {
    const sent: unknown = JSON.parse(JSON.stringify(body));
    expect(checkSchema(schema, sent)).toContainEqual(expect.stringContaining(message));
  });

  it('is valid with unknown members at any depth if they are allowed', () => {
    const extendedMessage = messageWith({ ...TOOL_USE, x_block: 1 });
    expect(checkSchema(MESSAGE, extendedMessage)).toEqual([expect.stringContaining('x_block')]);
    expect(checkSchema(MESSAGE, extendedMessage, { unknown: 'allowed' })).toEqual([]);
    expect(checkSchema(MESSAGE, messageWith({ type: 'text' }), { unknown: 'allowed' })).not.toEqual(
      [],
    );
  });
});
