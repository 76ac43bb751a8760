import { describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ConversationSchema } from '@witan/contracts';
import type { PartSchema } from '@witan/contracts';
import { refusalOf } from '../../test/refusal-of.ts';
import type { Encoded } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import { encodeRequest } from './encode-request.ts';

type Init = MessageInitShape<typeof ConversationSchema>;
type PartInit = MessageInitShape<typeof PartSchema>;

const text = (value: string): PartInit => ({ part: { case: 'text', value: { text: value } } });
const call = (id: string, name = 'f', args = '{}'): PartInit => ({
  part: { case: 'toolCall', value: { id, name, arguments: args } },
});
const result = (id: string): PartInit => ({
  part: { case: 'toolResult', value: { toolCallId: id, parts: [text('r')] } },
});
const HELLO = [{ role: 'user', parts: [text('hi')] }];

const encode = (init: Init, model = 'claude-sonnet-4-6'): Encoded =>
  encodeRequest(create(ConversationSchema, { turns: HELLO, ...init }), {
    model,
    maxOutputTokens: 16_000,
  });
const bodyOf = (init: Init, model?: string): JsonObject =>
  JSON.parse(encode(init, model).body) as JsonObject;
const contentsOf = (...turns: NonNullable<Init['turns']>) =>
  (bodyOf({ turns }).messages as { content: unknown }[]).map(({ content }) => content);

describe('encodeTurns', () => {
  it('begins with a user message, even if the assistant is first', () => {
    expect(
      bodyOf({ turns: [{ role: 'assistant', parts: [text('Hello.')] }, ...HELLO] }).messages,
    ).toEqual([
      { role: 'user', content: '(The assistant speaks first.)' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'hi' },
    ]);
  });

  it('omits blank texts and merges the messages around them', () => {
    const contents = contentsOf(
      { role: 'user', parts: [text('a'), text(' ')] },
      { role: 'assistant', parts: [text('\n')] },
      { role: 'user', parts: [text('b')] },
    );
    expect(contents).toEqual([
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ]);
  });

  it('trims the end of a final assistant message only', () => {
    const trimmed = contentsOf(...HELLO, { role: 'assistant', parts: [text('The answer: \n')] });
    expect(trimmed[1]).toBe('The answer:');
    const contents = contentsOf(...HELLO, { role: 'assistant', parts: [text('a \n')] }, ...HELLO);
    expect(contents[1]).toBe('a \n');
  });

  it('omits unsigned reasoning and reports it', () => {
    const reasoning: PartInit = { part: { case: 'reasoning', value: { text: 'hm' } } };
    const turns = [...HELLO, { role: 'assistant', parts: [reasoning, text('a')] }, ...HELLO];
    expect(contentsOf(...turns)[1]).toBe('a');
    expect(encode({ turns }).dropped).toEqual(['messages[].reasoning_content']);
  });

  it('assigns valid and unique ids to calls and results', () => {
    const contents = contentsOf(
      ...HELLO,
      { role: 'assistant', parts: [call('a b'), call('a_b'), call('')] },
      { role: 'user', parts: [result('a b'), result('a_b'), result('')] },
      { role: 'assistant', parts: [call('a_b'), call('a_b')] },
      { role: 'user', parts: [result('a_b'), result('a_b'), result('who?')] },
    ) as { id?: string; tool_use_id?: string }[][];
    const ids = contents.slice(1).map((blocks) => blocks.map((b) => b.id ?? b.tool_use_id));
    expect(ids).toEqual([
      ['a_b_2', 'a_b', 'call'],
      ['a_b_2', 'a_b', 'call'],
      ['a_b_3', 'a_b_4'],
      ['a_b_3', 'a_b_4', 'who_'],
    ]);
  });

  it('preserves the spelling of numbers in arguments', () => {
    const args = '{"id":12345678901234567890,"x":1.0,"n":[1e400]}';
    const turns = [...HELLO, { role: 'assistant', parts: [call('a', 'f', args)] }];
    expect(encode({ turns }).body).toContain(`"input":${args}`);
  });

  it('accepts ten thousand calls with one id', () => {
    const parts = Array.from({ length: 10_000 }, () => call('call_0'));
    const [, calls] = contentsOf(...HELLO, { role: 'assistant', parts }) as { id: string }[][];
    expect(new Set(calls?.map(({ id }) => id)).size).toBe(10_000);
  });

  it.each([
    ['messages', () => encode({ turns: [] })],
    ['messages', () => encode({ turns: [{ role: 'user', parts: [text(' ')] }] })],
    [
      'messages[].tool_calls[].function.arguments',
      () => encode({ turns: [{ role: 'assistant', parts: [call('a', 'f', '{"a":')] }] }),
    ],
    [
      'messages[].tool_calls[].function.arguments',
      () => encode({ turns: [{ role: 'assistant', parts: [call('a', 'f', '[1]')] }] }),
    ],
    [
      'messages[].tool_calls[].function.arguments',
      () => encode({ turns: [{ role: 'assistant', parts: [call('a', 'f', '1.0')] }] }),
    ],
    ['tools[].function.parameters', () => encode({ tools: [{ name: 'f', parameters: '"x"' }] })],
  ])('refuses invalid input at %s', (param, run) => {
    expect(refusalOf(run)).toEqual({ param });
  });
});

describe('encodeTurns, media', () => {
  const document = (mediaType: string, value: string): PartInit => ({
    part: { case: 'document', value: { media: { mediaType, source: { case: 'base64', value } } } },
  });

  it('decodes text files, because the dialect accepts only PDF as bytes', () => {
    const [content] = contentsOf({ role: 'user', parts: [document('text/csv', 'w6Q7YgE=')] });
    expect(content).toEqual([
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä;b\u0001' } },
    ]);
  });

  it.each([
    ['messages[].content[].input_audio', { case: 'audio' as const, value: { base64: 'x' } }],
    ['messages[].content[].file', document('application/msword', 'AAAA').part],
  ])('refuses unsupported media at %s', (param, part) => {
    const turns = [{ role: 'user', parts: [{ part }] }];
    expect(refusalOf(() => encode({ turns }))).toEqual({ param, code: 'unsupported_parameter' });
  });

  it.each([
    ['messages[].content[].file', document('text/plain', '/w==').part],
    ['messages[].content[].file', document('text/plain', '%%').part],
    ['messages[].content[].image_url', { case: 'image' as const, value: {} }],
  ])('refuses invalid media at %s', (param, part) => {
    expect(refusalOf(() => encode({ turns: [{ role: 'user', parts: [{ part }] }] }))).toEqual({
      param,
    });
  });
});
