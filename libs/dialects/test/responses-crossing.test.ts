import { describe, expect, it } from '@jest/globals';
import { chatCompletions } from '../src/chat-completions/dialect.ts';
import type { Dialect } from '../src/dialect.ts';
import type { JsonObject } from '../src/json/json-value.ts';
import { messages } from '../src/messages/dialect.ts';
import { renamingFields } from '../src/neutral/rename-field.ts';
import { responses } from '../src/responses/dialect.ts';
import { refusalOf } from './refusal-of.ts';

const INPUT = { input: 'hi' };
const MESSAGES = { messages: [{ role: 'user', content: 'hi' }] };

/** Converts a body, with the names of fields as the gateway reports them to the client. */
const convert = (client: Dialect, provider: Dialect, body: JsonObject, model = 'm') => {
  const base = client === responses ? INPUT : MESSAGES;
  const { conversation, dropped } = client.decodeRequest({ ...base, ...body });
  const encoded = renamingFields(
    () => provider.encodeRequest(conversation, { model, maxOutputTokens: 16_000 }),
    client.nameField,
  );
  const names = [...dropped, ...encoded.dropped.map(client.nameField)].toSorted();
  return { sent: JSON.parse(encoded.body) as JsonObject, names };
};

const AUDIO = { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } };
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } };
const reasoning = (encrypted_content: string) => ({
  input: [
    { role: 'user', content: 'hi' },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm' }],
      encrypted_content,
    },
    { role: 'assistant', content: 'Yes?' },
    { role: 'user', content: 'Go.' },
  ],
});

type Row<Expected> = [client: Dialect, provider: Dialect, body: JsonObject, expected: Expected];
const titled = <Expected>(rows: Row<Expected>[]) =>
  rows.map((row) => [row[0].name, row[1].name, row] as const);

describe('fields that are dropped are named as in the dialect of the client', () => {
  const rows: Row<string[]>[] = [
    [responses, messages, { presence_penalty: 1 }, ['presence_penalty']],
    [responses, messages, reasoning('gAAA'), ['input[].summary']],
    [responses, chatCompletions, reasoning('gAAA'), ['input[].summary']],
    [
      responses,
      messages,
      { text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA } } },
      ['text.format.name'],
    ],
    [
      responses,
      chatCompletions,
      { tools: [{ type: 'function', name: 'f', strict: true, parameters: SCHEMA }] },
      ['tools[].strict'],
    ],
    [
      chatCompletions,
      responses,
      {
        seed: 7,
        tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: SCHEMA } }],
      },
      ['seed', 'tools[].function.strict'],
    ],
    [
      messages,
      responses,
      { top_k: 5, system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
      ['system[].cache_control', 'top_k'],
    ],
  ];
  it.each(titled(rows))('from %s to %s', (_client, _provider, [client, provider, body, names]) => {
    expect(convert(client, provider, body).names).toEqual(names);
  });
});

describe('fields that cannot be converted are refused as in the dialect of the client', () => {
  const unsupported = (param: string) => ({ param, code: 'unsupported_parameter' });
  const rows: Row<object>[] = [
    [chatCompletions, responses, { stop: 'END' }, unsupported('stop')],
    [messages, responses, { stop_sequences: ['END'] }, unsupported('stop_sequences')],
    [
      responses,
      messages,
      { input: [{ role: 'user', content: [AUDIO] }] },
      unsupported('input[].content[].input_audio'),
    ],
    [
      responses,
      chatCompletions,
      { input: [{ role: 'assistant', content: 'I' }] },
      unsupported('input[].role'),
    ],
    [
      responses,
      messages,
      {
        input: [
          { type: 'function_call', call_id: 'c', name: 'f', arguments: 'no JSON' },
          { type: 'function_call_output', call_id: 'c', output: '' },
        ],
      },
      { param: 'input[].arguments' },
    ],
  ];
  it.each(titled(rows))(
    'from %s to %s',
    (_client, _provider, [client, provider, body, refusal]) => {
      expect(refusalOf(() => convert(client, provider, body))).toEqual(refusal);
    },
  );
});

describe('the conversion of a call for a provider of responses', () => {
  it('sends tools as not strict, because its default is strict', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(convert(chatCompletions, responses, { tools }).sent.tools).toEqual([
      {
        type: 'function',
        name: 'f',
        strict: false,
        parameters: { type: 'object', properties: {} },
      },
    ]);
  });

  it('stores nothing, and gets the reasoning of a reasoning model encrypted', () => {
    const effort = { reasoning_effort: 'low', max_tokens: 100, temperature: 0.5 };
    const { sent, names } = convert(chatCompletions, responses, effort, 'gpt-5');
    expect(sent).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
      max_output_tokens: 4_100,
    });
    expect(names).toEqual(['temperature']);
    expect(convert(chatCompletions, responses, {}, 'gpt-4.1').sent).not.toHaveProperty('include');
  });

  it('returns reasoning that its provider encrypted, through a client of messages', () => {
    const thinking = { type: 'thinking', thinking: 'Hm', signature: 'witan-responses:rs_1:gAAA' };
    const { sent, names } = convert(messages, responses, {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [thinking, { type: 'text', text: 'Yes?' }] },
        { role: 'user', content: 'Go.' },
      ],
    });
    expect(names).toEqual([]);
    expect((sent.input as object[])[1]).toEqual({
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm' }],
      encrypted_content: 'gAAA',
    });
  });

  it('marks the result of a failed tool, with its media', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://a' } };
    const resultWith = (content: object[]) =>
      convert(messages, responses, {
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't', is_error: true, content }],
          },
        ],
      }).sent.input;
    expect(resultWith([{ type: 'text', text: 'No.' }])).toMatchObject([
      {},
      { type: 'function_call', call_id: 't', arguments: '{}' },
      { type: 'function_call_output', call_id: 't', output: 'Error: No.' },
    ]);
    expect(resultWith([image])).toMatchObject([
      {},
      {},
      {
        output: [
          { type: 'input_text', text: 'Error' },
          { type: 'input_image', image_url: 'https://a' },
        ],
      },
    ]);
  });
});
