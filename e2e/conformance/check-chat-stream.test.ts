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
const say = (delta: unknown, more?: object): object => chunk([choice(delta, more)]);
const call = (index: unknown, more: object = {}): object =>
  say({ tool_calls: [{ index, ...more }] });

const ROLE = say({ role: 'assistant', content: '' });
const HI = say({ content: 'Hi' });
const STOP = say({}, { finish_reason: 'stop' });
const COUNTS = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const USAGE = chunk([], { usage: COUNTS });
const FIRST = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '' } };
const ADD = call(0, FIRST);
const ARGUMENTS = call(0, { function: { arguments: '{}' } });
const ERROR = { error: { message: 'Gone.', type: 'server_error', param: null, code: null } };

const DONE = 'data: [DONE]\n\n';
const text = (...chunks: object[]): string =>
  chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');

const WHOLE = [
  ROLE,
  HI,
  ADD,
  call(0, { function: { arguments: '{"a"' } }),
  call(0, { function: { arguments: ':1}' } }),
  call(1, { ...FIRST, id: 'call_2', function: { name: 'now', arguments: '{}' } }),
  chunk([
    choice({ role: 'assistant', content: 'Oh' }, { index: 1 }),
    choice({}, { finish_reason: 'tool_calls' }),
  ]),
  say({}, { index: 1, finish_reason: 'length' }),
];

describe('a valid chat stream', () => {
  it.each([
    ['calls tools in two choices', text(...WHOLE) + DONE, {}],
    ['has usage that was asked for', text(ROLE, STOP, USAGE) + DONE, { usage: true }],
    ['has no usage in other chunks', text({ ...ROLE, usage: null }, STOP) + DONE, {}],
    ['has lines that end in CRLF', (text(ROLE, STOP) + DONE).replaceAll('\n', '\r\n'), {}],
    ['has comments', `: hello\n\n${text(ROLE, STOP)}:\n\n${DONE}`, {}],
    ['ends in an error before it began', text(ERROR), { usage: true }],
    ['ends in an error inside of arguments', text(ROLE, ADD, ERROR), { usage: true }],
  ])('%s', (_, transcript, asked) => {
    expect(checkChatStream(transcript, asked)).toEqual([]);
  });
});

describe('an invalid chat stream', () => {
  it.each<[string, object[], string]>([
    ['nothing at all', [], 'the stream has no choice'],
    ['no role', [HI, STOP], 'choice 0: its first chunk has no role'],
    ['a role that comes late', [HI, ROLE, STOP], 'choice 0: its first chunk has no role'],
    ['the role of another', [ROLE, say({ role: 'user' }), STOP], 'its role is user'],
    ['another object', [ROLE, { ...STOP, object: 'chat.completion' }], 'its object is not'],
    ['no id', [{ ...ROLE, id: '' }, STOP], 'it has no id'],
    ['another id', [ROLE, { ...STOP, id: 'other' }], 'its id is not that of the first'],
    ['another model', [ROLE, { ...STOP, model: 'other' }], 'its model is not that of the first'],
    ['another time', [ROLE, { ...STOP, created: 2 }], 'its created is not that of the first'],
    ['a time that is no integer', [{ ...ROLE, created: '1' }, STOP], 'its created is no integer'],
    ['no model', [{ ...ROLE, model: null }, STOP], 'it has no model'],
    ['no choices', [ROLE, { ...HI, choices: undefined }, STOP], 'its choices are no array'],
    ['empty choices without usage', [ROLE, STOP, chunk([])], 'neither choices nor usage'],
    ['a choice without an index', [ROLE, STOP, chunk([{ delta: {} }])], 'a choice has no index'],
    ['a choice without a delta', [ROLE, say(null), STOP], 'choice 0 has no delta'],
    ['content that is no text', [ROLE, say({ content: ['Hi'] }), STOP], 'its content is no text'],
    ['no finish_reason', [ROLE, HI], 'choice 0 has no finish_reason'],
    ['no finish_reason of one choice', [ROLE, ...WHOLE.slice(6, 7)], 'choice 1 has no finish'],
    ['two finish_reasons', [ROLE, STOP, STOP], 'it has a second finish_reason'],
    ['a finish_reason that is no text', [ROLE, say({}, { finish_reason: 1 })], 'is no string'],
    ['text behind the finish_reason', [ROLE, STOP, HI], 'it goes on behind its finish_reason'],
    ['usage beside choices', [ROLE, { ...STOP, usage: COUNTS }], 'it has usage beside choices'],
    ['usage twice', [ROLE, STOP, USAGE, USAGE], 'stands behind the usage chunk'],
    ['usage in the middle', [ROLE, USAGE, STOP], 'stands behind the usage chunk'],
    [
      'usage without counts',
      [ROLE, STOP, { ...USAGE, usage: {} }],
      'its usage has no total_tokens',
    ],
    ['usage that is no object', [ROLE, STOP, { ...USAGE, usage: 4 }], 'its usage is no object'],
    ['no tool calls in a list', [ROLE, say({ tool_calls: [] }), STOP], 'tool_calls are empty'],
    ['tool calls that are no list', [ROLE, say({ tool_calls: {} }), STOP], 'are no array'],
    [
      'tool calls from 1',
      [ROLE, call(1, FIRST), STOP],
      'tool call 1 starts, but the next one is 0',
    ],
    ['no index of a tool call', [ROLE, call(undefined, FIRST), STOP], 'undefined starts'],
    ['no id of a tool call', [ROLE, call(0, { ...FIRST, id: undefined }), STOP], 'has no id'],
    ['no name of a tool call', [ROLE, call(0, { ...FIRST, function: {} }), STOP], 'has no name'],
    ['no type of a tool call', [ROLE, call(0, { ...FIRST, type: null }), STOP], 'of no type func'],
    ['the id again', [ROLE, ADD, call(0, { id: 'call_1' }), STOP], 'a later piece has an id'],
    ['the name again', [ROLE, ADD, call(0, FIRST), STOP], 'a later piece has a name'],
    ['no arguments', [ROLE, ADD, STOP], 'the arguments of tool call 0 are no JSON object'],
    ['too many arguments', [ROLE, ADD, ARGUMENTS, ARGUMENTS, STOP], 'are no JSON object: {}{}'],
    [
      'arguments that are no text',
      [ROLE, ADD, call(0, { function: { arguments: {} } }), STOP],
      'tool call 0: its arguments are no text',
    ],
  ])('%s', (_, chunks, violation) => {
    const asked = { usage: chunks.some((one) => 'usage' in one) };
    const violations = checkChatStream(text(...chunks) + DONE, asked);
    expect(violations).toContainEqual(expect.stringContaining(violation));
  });

  it.each([
    ['usage that nobody asked for', text(ROLE, STOP, USAGE) + DONE, 'nobody asked for usage'],
    ['no [DONE]', text(ROLE, STOP), 'the stream ends without [DONE] or an error'],
    ['two [DONE]s', text(ROLE, STOP) + DONE + DONE, 'frame 4: stands behind [DONE]'],
    ['a chunk behind [DONE]', text(ROLE, STOP) + DONE + text(HI), 'frame 4: stands behind [DONE]'],
    ['[DONE] behind an error', text(ROLE, ERROR) + DONE, 'frame 3: stands behind an error'],
    ['an error with keys missing', text({ error: { message: '' } }), 'lacks type, param, code'],
    ['an error without words', text({ error: { ...ERROR.error, message: 1 } }), 'has no message'],
    ['data that is no JSON', `data: {\n\n${text(ROLE, STOP)}${DONE}`, 'neither a JSON object nor'],
    ['an end inside a frame', text(ROLE, STOP) + DONE.trim(), 'ends inside a frame'],
  ])('%s', (_, transcript, violation) => {
    expect(checkChatStream(transcript)).toContainEqual(expect.stringContaining(violation));
  });

  it('lacks the requested usage', () => {
    expect(checkChatStream(text(ROLE, STOP) + DONE, { usage: true })).toEqual([
      'the usage that was asked for is missing',
    ]);
  });

  it('is reported with the number of the frame', () => {
    expect(checkChatStream(text(ROLE, STOP, HI) + DONE)).toEqual([
      'frame 3: choice 0: it goes on behind its finish_reason',
    ]);
  });
});
