import { describe, expect, it } from '@jest/globals';
import { checkChatStream } from './check-chat-stream.ts';

const chunk = (choices: object[], more: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices,
  ...more,
});
const choice = (delta: unknown, more: object = {}): object => ({
  index: 0,
  delta,
  finish_reason: null,
  ...more,
});
const chunkWith = (delta: unknown, more?: object): object => chunk([choice(delta, more)]);
const callChunk = (index: unknown, more: object = {}): object =>
  chunkWith({ tool_calls: [{ index, ...more }] });

const ROLE_CHUNK = chunkWith({ role: 'assistant', content: '' });
const TEXT_CHUNK = chunkWith({ content: 'Hi' });
const STOP_CHUNK = chunkWith({}, { finish_reason: 'stop' });
const COUNTS = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const USAGE_CHUNK = chunk([], { usage: COUNTS });
const FIRST_CALL = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '' } };
const CALL_CHUNK = callChunk(0, FIRST_CALL);
const ARGUMENTS_CHUNK = callChunk(0, { function: { arguments: '{}' } });
const ERROR = { error: { message: 'Gone.', type: 'server_error', param: null, code: null } };

const DONE = 'data: [DONE]\n\n';
const toTranscript = (...chunks: object[]): string =>
  chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');

const VALID_CHUNKS = [
  ROLE_CHUNK,
  TEXT_CHUNK,
  CALL_CHUNK,
  callChunk(0, { function: { arguments: '{"a"' } }),
  callChunk(0, { function: { arguments: ':1}' } }),
  callChunk(1, { ...FIRST_CALL, id: 'call_2', function: { name: 'now', arguments: '{}' } }),
  chunk([
    choice({ role: 'assistant', content: 'Oh' }, { index: 1 }),
    choice({}, { finish_reason: 'tool_calls' }),
  ]),
  chunkWith({}, { index: 1, finish_reason: 'length' }),
];

describe('a valid chat stream', () => {
  it.each([
    ['calls tools in two choices', toTranscript(...VALID_CHUNKS) + DONE, {}],
    [
      'has the requested usage',
      toTranscript(ROLE_CHUNK, STOP_CHUNK, USAGE_CHUNK) + DONE,
      { usage: true },
    ],
    [
      'has no usage in other chunks',
      toTranscript({ ...ROLE_CHUNK, usage: null }, STOP_CHUNK) + DONE,
      {},
    ],
    [
      'has lines that end in CRLF',
      (toTranscript(ROLE_CHUNK, STOP_CHUNK) + DONE).replaceAll('\n', '\r\n'),
      {},
    ],
    ['has comments', `: hello\n\n${toTranscript(ROLE_CHUNK, STOP_CHUNK)}:\n\n${DONE}`, {}],
    ['ends in an error before content', toTranscript(ERROR), { usage: true }],
    [
      'ends in an error inside of arguments',
      toTranscript(ROLE_CHUNK, CALL_CHUNK, ERROR),
      { usage: true },
    ],
  ])('%s', (_, transcript, request) => {
    expect(checkChatStream(transcript, request)).toEqual([]);
  });
});

describe('an invalid chat stream', () => {
  it.each<[string, object[], string]>([
    ['nothing at all', [], 'the stream has no choice'],
    ['no role', [TEXT_CHUNK, STOP_CHUNK], 'choice 0: its first chunk has no role'],
    [
      'a role that comes late',
      [TEXT_CHUNK, ROLE_CHUNK, STOP_CHUNK],
      'choice 0: its first chunk has no role',
    ],
    ['another role', [ROLE_CHUNK, chunkWith({ role: 'user' }), STOP_CHUNK], 'its role is user'],
    [
      'another object',
      [ROLE_CHUNK, { ...STOP_CHUNK, object: 'chat.completion' }],
      'its object is not',
    ],
    ['no id', [{ ...ROLE_CHUNK, id: '' }, STOP_CHUNK], 'it has no id'],
    ['another id', [ROLE_CHUNK, { ...STOP_CHUNK, id: 'other' }], 'its id is not that of the first'],
    [
      'another model',
      [ROLE_CHUNK, { ...STOP_CHUNK, model: 'other' }],
      'its model is not that of the first',
    ],
    [
      'another time',
      [ROLE_CHUNK, { ...STOP_CHUNK, created: 2 }],
      'its created is not that of the first',
    ],
    [
      'a time that is not an integer',
      [{ ...ROLE_CHUNK, created: '1' }, STOP_CHUNK],
      'its created is no integer',
    ],
    ['no model', [{ ...ROLE_CHUNK, model: null }, STOP_CHUNK], 'it has no model'],
    [
      'no choices',
      [ROLE_CHUNK, { ...TEXT_CHUNK, choices: undefined }, STOP_CHUNK],
      'its choices are no array',
    ],
    [
      'empty choices without usage',
      [ROLE_CHUNK, STOP_CHUNK, chunk([])],
      'neither choices nor usage',
    ],
    [
      'a choice without an index',
      [ROLE_CHUNK, STOP_CHUNK, chunk([{ delta: {} }])],
      'a choice has no index',
    ],
    [
      'a choice without a delta',
      [ROLE_CHUNK, chunkWith(null), STOP_CHUNK],
      'choice 0 has no delta',
    ],
    [
      'content that is not text',
      [ROLE_CHUNK, chunkWith({ content: ['Hi'] }), STOP_CHUNK],
      'its content is no text',
    ],
    ['no finish_reason', [ROLE_CHUNK, TEXT_CHUNK], 'choice 0 has no finish_reason'],
    [
      'no finish_reason of one choice',
      [ROLE_CHUNK, ...VALID_CHUNKS.slice(6, 7)],
      'choice 1 has no finish',
    ],
    ['two finish_reasons', [ROLE_CHUNK, STOP_CHUNK, STOP_CHUNK], 'it has a second finish_reason'],
    [
      'a finish_reason that is not text',
      [ROLE_CHUNK, chunkWith({}, { finish_reason: 1 })],
      'is no string',
    ],
    [
      'text after the finish_reason',
      [ROLE_CHUNK, STOP_CHUNK, TEXT_CHUNK],
      'it continues after its finish_reason',
    ],
    [
      'usage beside choices',
      [ROLE_CHUNK, { ...STOP_CHUNK, usage: COUNTS }],
      'it has usage beside choices',
    ],
    [
      'usage twice',
      [ROLE_CHUNK, STOP_CHUNK, USAGE_CHUNK, USAGE_CHUNK],
      'comes after the usage chunk',
    ],
    ['usage in the middle', [ROLE_CHUNK, USAGE_CHUNK, STOP_CHUNK], 'comes after the usage chunk'],
    [
      'usage without counts',
      [ROLE_CHUNK, STOP_CHUNK, { ...USAGE_CHUNK, usage: {} }],
      'its usage has no total_tokens',
    ],
    [
      'usage that is not an object',
      [ROLE_CHUNK, STOP_CHUNK, { ...USAGE_CHUNK, usage: 4 }],
      'its usage is no object',
    ],
    [
      'an empty list of tool calls',
      [ROLE_CHUNK, chunkWith({ tool_calls: [] }), STOP_CHUNK],
      'tool_calls are empty',
    ],
    [
      'tool calls that are not a list',
      [ROLE_CHUNK, chunkWith({ tool_calls: {} }), STOP_CHUNK],
      'are no array',
    ],
    [
      'tool calls from 1',
      [ROLE_CHUNK, callChunk(1, FIRST_CALL), STOP_CHUNK],
      'tool call 1 starts, but the next one is 0',
    ],
    [
      'no index of a tool call',
      [ROLE_CHUNK, callChunk(undefined, FIRST_CALL), STOP_CHUNK],
      'undefined starts',
    ],
    [
      'no id of a tool call',
      [ROLE_CHUNK, callChunk(0, { ...FIRST_CALL, id: undefined }), STOP_CHUNK],
      'has no id',
    ],
    [
      'no name of a tool call',
      [ROLE_CHUNK, callChunk(0, { ...FIRST_CALL, function: {} }), STOP_CHUNK],
      'has no name',
    ],
    [
      'no type of a tool call',
      [ROLE_CHUNK, callChunk(0, { ...FIRST_CALL, type: null }), STOP_CHUNK],
      'of no type func',
    ],
    [
      'the id again',
      [ROLE_CHUNK, CALL_CHUNK, callChunk(0, { id: 'call_1' }), STOP_CHUNK],
      'a later piece has an id',
    ],
    [
      'the name again',
      [ROLE_CHUNK, CALL_CHUNK, callChunk(0, FIRST_CALL), STOP_CHUNK],
      'a later piece has a name',
    ],
    [
      'no arguments',
      [ROLE_CHUNK, CALL_CHUNK, STOP_CHUNK],
      'the arguments of tool call 0 are no JSON object',
    ],
    [
      'too many arguments',
      [ROLE_CHUNK, CALL_CHUNK, ARGUMENTS_CHUNK, ARGUMENTS_CHUNK, STOP_CHUNK],
      'are no JSON object: {}{}',
    ],
    [
      'arguments that are not text',
      [ROLE_CHUNK, CALL_CHUNK, callChunk(0, { function: { arguments: {} } }), STOP_CHUNK],
      'tool call 0: its arguments are no text',
    ],
  ])('%s', (_, chunks, violation) => {
    const request = { usage: chunks.some((one) => 'usage' in one) };
    const violations = checkChatStream(toTranscript(...chunks) + DONE, request);
    expect(violations).toContainEqual(expect.stringContaining(violation));
  });

  it.each([
    [
      'usage that was not requested',
      toTranscript(ROLE_CHUNK, STOP_CHUNK, USAGE_CHUNK) + DONE,
      'usage was not requested',
    ],
    [
      'no [DONE]',
      toTranscript(ROLE_CHUNK, STOP_CHUNK),
      'the stream ends without [DONE] or an error',
    ],
    [
      'two [DONE]s',
      toTranscript(ROLE_CHUNK, STOP_CHUNK) + DONE + DONE,
      'frame 4: comes after [DONE]',
    ],
    [
      'a chunk after [DONE]',
      toTranscript(ROLE_CHUNK, STOP_CHUNK) + DONE + toTranscript(TEXT_CHUNK),
      'frame 4: comes after [DONE]',
    ],
    [
      '[DONE] after an error',
      toTranscript(ROLE_CHUNK, ERROR) + DONE,
      'frame 3: comes after an error',
    ],
    [
      'an error with keys missing',
      toTranscript({ error: { message: '' } }),
      'lacks type, param, code',
    ],
    [
      'an error without a message',
      toTranscript({ error: { ...ERROR.error, message: 1 } }),
      'has no message',
    ],
    [
      'data that is not JSON',
      `data: {\n\n${toTranscript(ROLE_CHUNK, STOP_CHUNK)}${DONE}`,
      'neither a JSON object nor',
    ],
    [
      'an end inside a frame',
      toTranscript(ROLE_CHUNK, STOP_CHUNK) + DONE.trim(),
      'ends inside a frame',
    ],
  ])('%s', (_, transcript, violation) => {
    expect(checkChatStream(transcript)).toContainEqual(expect.stringContaining(violation));
  });

  it('lacks the requested usage', () => {
    expect(checkChatStream(toTranscript(ROLE_CHUNK, STOP_CHUNK) + DONE, { usage: true })).toEqual([
      'the requested usage is missing',
    ]);
  });

  it('is reported with the number of the frame', () => {
    expect(checkChatStream(toTranscript(ROLE_CHUNK, STOP_CHUNK, TEXT_CHUNK) + DONE)).toEqual([
      'frame 3: choice 0: it continues after its finish_reason',
    ]);
  });
});
