import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { failureOf, reasonOf } from '../test/reason-of.ts';
import { FIXTURES, payloadOf, toBytes, writeFrame } from '../test/answer-fixtures.ts';
import type { Fixture, Frame } from '../test/answer-fixtures.ts';
import { commitAnswer } from './answer.ts';
import { createChatAnswer } from './chat-answer.ts';
import { parsePublicKeys } from './keys.ts';
import { createMessageAnswer } from './message-answer.ts';
import { createResponseAnswer } from './response-answer.ts';
import { verifyCertificate } from './verify-certificate.ts';
import { verifyResponse } from './verify-content.ts';

const evidence = (name: string) =>
  readFileSync(new URL(`../test/evidence/${name}`, import.meta.url));

describe('answers that were once accepted', () => {
  const keys = parsePublicKeys(evidence('key.json').toString());

  it.each([
    ['tf-text', 'answer', 'the text of a part'],
    ['tf-tool', 'answer', 'arguments'],
    ['user-item', 'response', ''],
  ])('%s is refused: %s', (name, reason, detail) => {
    const { payload } = verifyCertificate(evidence(`${name}.proof`), keys);
    const failure = failureOf(() => verifyResponse(payload, evidence(`${name}.res`)));
    expect(failure?.reason).toBe(reason);
    expect(failure?.detail).toContain(detail);
  });

  const RESULT = { resultType: 'complete', content: [{ type: 'text', text: 'Hi Zoë! 👋' }] };
  const streamed = FIXTURES.filter(({ frames, kind }) => frames && kind !== 'mcp');

  it.each(streamed.map((fixture) => [fixture.name, fixture] as const))(
    'one frame in the form of an MCP result does not hide the rest: %s',
    (_name, fixture) => {
      const { payload, frames } = {
        ...fixture,
        payload: payloadOf(fixture),
        frames: fixture.frames!,
      };
      for (const value of [RESULT, { isError: true, content: [] }]) {
        for (const at of [0, 1, frames.length]) {
          const bytes = toBytes({ ...fixture, frames: frames.toSpliced(at, 0, { value }) });
          expect(reasonOf(() => verifyResponse(payload, bytes))).toBe('answer');
        }
      }
    },
  );

  it('a failed result of MCP vouches for no other failed call', () => {
    const base: Fixture = { name: '', kind: '', body: { error: { message: 'gone' } } };
    const { response, ...payload } = payloadOf(base);
    const failed = { ...payload, response: { ...response, finishReason: 'error' as const } };
    const frames: Frame[] = [
      { value: { choices: [{ index: 0, delta: { content: 'EVIL' } }] } },
      { value: { isError: true, content: [] } },
    ];
    const body = { isError: true, content: [], choices: [{ message: { content: 'EVIL' } }] };
    expect(reasonOf(() => verifyResponse(failed, toBytes({ ...base, frames })))).toBe('answer');
    expect(reasonOf(() => verifyResponse(failed, toBytes({ ...base, body })))).toBe('response');
  });
});

const text = (value: unknown, more: object = {}) => ({ type: 'output_text', text: value, ...more });
const message = (...content: object[]) => ({ type: 'message', role: 'assistant', content });
const call = (args: unknown, more: object = {}) => ({
  type: 'function_call',
  call_id: 'call_a',
  name: 'pay',
  arguments: args,
  ...more,
});
const CREATED = { type: 'response.created', response: { status: 'in_progress', output: [] } };
const item = (state: 'added' | 'done', value: object, output_index = 0) => ({
  type: `response.output_item.${state}`,
  output_index,
  item: value,
});
const piece = (delta: string, kind = 'output_text') => ({
  type: `response.${kind}.delta`,
  output_index: 0,
  content_index: 0,
  delta,
});
const completed = (...output: object[]) => ({
  type: 'response.completed',
  response: { status: 'completed', output },
});
const TEXT = [CREATED, item('added', message()), piece('Hi '), piece('Zoë')];
const CALL = [CREATED, item('added', call('')), piece('{"to":', 'function_call_arguments')];
const PAID = [...CALL, piece('"alice"}', 'function_call_arguments')];
const chunk = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const toolCall = (members: object) => chunk({ tool_calls: [{ index: 0, ...members }] });
const block = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const START = { type: 'message_start', message: { content: [] } };
const json = (partial_json: unknown) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'input_json_delta', partial_json },
});

describe.each([
  ['responses', createResponseAnswer],
  ['messages', createMessageAnswer],
  ['chat-completions', createChatAnswer],
] as const)('a stream of %s', (dialect, createAnswer) => {
  const rows: [string, string, object[], object][] = [
    [
      'responses',
      'another text at its end',
      TEXT,
      { ...piece(''), type: 'response.output_text.done', text: 'Ho' },
    ],
    [
      'responses',
      'another text in its part',
      TEXT,
      { ...piece(''), type: 'response.content_part.done', part: text('Ho') },
    ],
    ['responses', 'another text in its item', TEXT, item('done', message(text('Ho')))],
    ['responses', 'another text in the response', TEXT, completed(message(text('Ho')))],
    ['responses', 'a text cut into two', TEXT, completed(message(text('Hi '), text('Zoë')))],
    [
      'responses',
      'a refusal instead of a text',
      TEXT,
      completed(message({ type: 'refusal', refusal: 'Hi Zoë' })),
    ],
    [
      'responses',
      'an item that was not announced',
      TEXT,
      completed(message(text('Hi Zoë')), message(text('EVIL'))),
    ],
    [
      'responses',
      'an item of the user that was not announced',
      TEXT,
      completed(message(text('Hi Zoë')), { ...message(text('EVIL')), role: 'user' }),
    ],
    ['responses', 'an item less', TEXT, completed()],
    ['responses', 'other items in front', TEXT, completed(call('{}'), message(text('Hi Zoë')))],
    [
      'responses',
      'an own text of the response',
      TEXT,
      {
        type: 'response.completed',
        response: { status: 'completed', output: [message(text('Hi Zoë'))], output_text: 'Ho' },
      },
    ],
    [
      'responses',
      'other arguments at their end',
      PAID,
      {
        ...piece(''),
        type: 'response.function_call_arguments.done',
        arguments: '{"to":"mallory"}',
      },
    ],
    [
      'responses',
      'another name at the end of the arguments',
      PAID,
      {
        ...piece(''),
        type: 'response.function_call_arguments.done',
        arguments: '{"to":"alice"}',
        name: 'steal',
      },
    ],
    ['responses', 'other arguments in the item', PAID, item('done', call('{"to":"mallory"}'))],
    [
      'responses',
      'another name in the item',
      PAID,
      item('done', call('{"to":"alice"}', { name: 'steal' })),
    ],
    [
      'responses',
      'another id in the item',
      PAID,
      item('done', call('{"to":"alice"}', { call_id: 'call_b' })),
    ],
    [
      'responses',
      'no name in the item',
      PAID,
      item('done', call('{"to":"alice"}', { name: null })),
    ],
    [
      'responses',
      'another name in the response',
      PAID,
      completed(call('{"to":"alice"}', { name: 'steal' })),
    ],
    ['responses', 'another type of item', PAID, completed(message(text('Hi')))],
    [
      'responses',
      'pieces behind the end',
      [...TEXT, item('done', message(text('Hi Zoë')))],
      piece('!'),
    ],
    ['responses', 'a second start', TEXT, CREATED],
    ['responses', 'an item twice', TEXT, item('added', message())],
    [
      'responses',
      'another status than its event',
      TEXT,
      {
        type: 'response.completed',
        response: { status: 'failed', output: [message(text('Hi Zoë'))] },
      },
    ],
    [
      'responses',
      'another text in a response that goes on',
      TEXT,
      { type: 'response.in_progress', response: { output: [message(text('Ho'))] } },
    ],
    ['responses', 'a chunk', TEXT, chunk({ content: '!' })],
    ['responses', 'a number as a piece', TEXT, { ...piece(''), delta: 5 }],
    ['responses', 'a number as text', TEXT.slice(0, 2), item('done', message(text(5)))],
    ['responses', 'an object as arguments', CALL.slice(0, 2), item('done', call({ to: 'x' }))],
    ['responses', 'no arguments in the response', PAID, completed(call(undefined))],
    ['responses', 'no text in its part', TEXT, completed(message({ type: 'output_text' }))],
    ['messages', 'a second start', [START], START],
    [
      'messages',
      'another block with its index',
      [START, block(0, { type: 'text', text: 'Hi' })],
      block(0, { type: 'text', text: '' }),
    ],
    [
      'messages',
      'pieces of an input that was there',
      [START, block(0, { type: 'tool_use', id: 'a', name: 'f', input: { to: 'alice' } })],
      json('{"to":"mallory"}'),
    ],
    [
      'messages',
      'text in a block of another type',
      [START, block(0, { type: 'thinking', thinking: '' })],
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    ],
    [
      'messages',
      'two stop reasons',
      [START, { type: 'message_delta', delta: { stop_reason: 'end_turn' } }],
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
    ],
    ['messages', 'an event of responses', [START], piece('Hi')],
    ['messages', 'a number as text', [START], block(0, { type: 'text', text: 5 })],
    [
      'messages',
      'a number as a piece of text',
      [START, block(0, { type: 'text', text: '' })],
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 0 } },
    ],
    [
      'messages',
      'a truth value as a piece of an input',
      [START, block(0, { type: 'tool_use', id: 'a', name: 'f', input: {} })],
      json(true),
    ],
    [
      'messages',
      'a gap between its blocks',
      [START, block(0, { type: 'text', text: 'Hi' })],
      block(2, { type: 'text', text: '' }),
    ],
    ['messages', 'a message of JSON-RPC', [START], { jsonrpc: '2.0', id: 1, result: {} }],
    [
      'chat-completions',
      'two finish reasons',
      [chunk({ content: 'Hi' }, { finish_reason: 'stop' })],
      chunk({}, { finish_reason: 'length' }),
    ],
    [
      'chat-completions',
      'another id of a call',
      [toolCall({ id: 'a', function: { name: 'f' } })],
      toolCall({ id: 'b' }),
    ],
    [
      'chat-completions',
      'another name of a call',
      [toolCall({ id: 'a', function: { name: 'f' } })],
      toolCall({ function: { name: 'g' } }),
    ],
    ['chat-completions', 'an event of messages', [chunk({ content: 'Hi' })], START],
    ['chat-completions', 'a number as its first content', [], chunk({ content: 5 })],
    ['chat-completions', 'a number as content', [chunk({ content: 'Hi' })], chunk({ content: 0 })],
    [
      'chat-completions',
      'an object as content',
      [chunk({ content: 'Hi' })],
      chunk({ content: {} }),
    ],
    ['chat-completions', 'a number as a refusal', [chunk({})], chunk({ refusal: 5 })],
    [
      'chat-completions',
      'a number as arguments',
      [toolCall({ id: 'a', function: { name: 'f', arguments: '' } })],
      toolCall({ function: { arguments: 5 } }),
    ],
  ];

  it.each(rows.filter(([kind]) => kind === dialect))(
    '%s with %s is refused, and what came before stays as it was',
    (_dialect, _name, before, contradicting) => {
      const answer = createAnswer();
      for (const one of before) answer.chunk(one);
      expect(answer.contradiction).toBeUndefined();
      const sha256 = commitAnswer(answer.choices());
      answer.chunk(contradicting);
      expect(answer.contradiction).toMatch(/\w/);
      answer.chunk(before.at(-1));
      expect(commitAnswer(answer.choices())).toBe(sha256);
    },
  );
});

describe('a saved stream that clients read in another way', () => {
  const streamed = FIXTURES.filter(({ frames }) => frames);
  /** Returns what the verifier says of each stream with one edited frame. */
  const reasonsOf = (fixture: Fixture, edit: (frame: string) => string): Set<unknown> => {
    const frames = fixture.frames!.map(writeFrame);
    const reasons = frames.map((frame, at) => {
      const edited = frames.with(at, edit(frame)).join('');
      const bytes = new TextEncoder().encode(edited);
      return reasonOf(() => verifyResponse(payloadOf(fixture), bytes));
    });
    return new Set(reasons);
  };

  it.each(streamed.map((fixture) => [fixture.name, fixture] as const))(
    'is refused for a CR without LF or a late byte order mark: %s',
    (_name, fixture) => {
      const edits = [
        (frame: string) => frame.replace('data:', '\rdata:'),
        (frame: string) => `data: {"content":"EVIL"}\r\r${frame}`,
        (frame: string) => `: ping\n\n\ufeff${frame}`,
      ];
      for (const edit of edits) expect(reasonsOf(fixture, edit)).toEqual(new Set(['answer']));
    },
  );

  it.each(
    streamed.filter(({ kind }) => kind === 'messages').map((one) => [one.name, one] as const),
  )('is refused for a nameless event in a stream with names: %s', (_name, fixture) => {
    const frames = fixture.frames!.map(({ event: _event, ...frame }, at) =>
      at === 0 ? fixture.frames![0]! : frame,
    );
    const bytes = toBytes({ ...fixture, frames });
    expect(reasonOf(() => verifyResponse(payloadOf(fixture), bytes))).toBe('answer');
  });

  it('is refused for a native event behind the last', () => {
    const native = streamed.find(({ kind }) => kind === 'native')!;
    const [tool, first, second, done] = native.frames!;
    const early = { event: 'done', value: { content: 'Hi ' } };
    for (const frames of [
      [tool!, first!, early, second!],
      [tool!, first!, early, second!, done!],
      [tool!, first!, second!, done!, done!],
    ]) {
      const bytes = toBytes({ ...native, frames });
      expect(reasonOf(() => verifyResponse(payloadOf(native), bytes))).toBe('answer');
    }
  });

  it('names an event that lost its data', () => {
    const native = streamed.find(({ kind }) => kind === 'native')!;
    const saved = native.frames!.map(writeFrame).join('').replace('event: done\n', 'event: done');
    const { notCovered } = verifyResponse(payloadOf(native), new TextEncoder().encode(saved));
    expect(notCovered).toContainEqual(expect.stringMatching(/^event donedata: /));
  });
});
