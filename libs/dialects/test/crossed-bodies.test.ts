import { describe, expect, it } from '@jest/globals';
import { chatCompletions } from '../src/chat-completions/dialect.ts';
import type { Dialect } from '../src/dialect.ts';
import type { JsonObject } from '../src/json/json-value.ts';
import { messages } from '../src/messages/dialect.ts';
import { refusalOf } from './refusal-of.ts';

const convert = (
  clientDialect: Dialect,
  providerDialect: Dialect,
  body: JsonObject,
  model: string,
) => {
  const { conversation, dropped } = clientDialect.decodeRequest({
    messages: [{ role: 'user', content: 'hi' }],
    ...body,
  });
  const encoded = providerDialect.encodeRequest(conversation, { model, maxOutputTokens: 16_000 });
  const sentBody = JSON.parse(encoded.body) as JsonObject;
  return { sentBody, dropped: [...dropped, ...encoded.dropped] };
};
const toChat = (body: JsonObject, model = 'gpt-4o') =>
  convert(messages, chatCompletions, body, model);
const toMessages = (body: JsonObject) =>
  convert(chatCompletions, messages, body, 'claude-sonnet-4-6');

const STRICT = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};

describe('the conversion of a messages body for OpenAI', () => {
  const withTool = (tool: object) => toChat({ tools: [{ name: 'f', ...tool }] });

  it('adds the properties member that OpenAI requires', () => {
    const { sentBody } = withTool({ input_schema: { type: 'object', title: 'None' } });
    expect(sentBody.tools).toMatchObject([
      { function: { parameters: { type: 'object', title: 'None', properties: {} } } },
    ]);
  });

  it('preserves the strictness of a tool if OpenAI accepts its schema as strict', () => {
    const { sentBody, dropped } = withTool({ strict: true, input_schema: STRICT });
    expect(sentBody.tools).toMatchObject([{ function: { strict: true } }]);
    expect(dropped).toEqual([]);
  });

  it('reports the strictness of other schemas as dropped', () => {
    const { sentBody, dropped } = withTool({
      strict: true,
      input_schema: { ...STRICT, required: [] },
    });
    expect(sentBody.tools).not.toMatchObject([{ function: { strict: true } }]);
    expect(dropped).toEqual(['tools[].strict']);
  });

  it('reports a user that is too long for OpenAI as dropped', () => {
    const withUser = (length: number) => toChat({ metadata: { user_id: 'u'.repeat(length) } });
    expect(withUser(64)).toMatchObject({ sentBody: { user: 'u'.repeat(64) }, dropped: [] });
    expect(withUser(65).sentBody).not.toHaveProperty('user');
    expect(withUser(65).dropped).toEqual(['metadata.user_id']);
  });

  it.each(['o1', 'o3-mini', 'o4-mini-2025-04-16'])(
    'reports parameters that %s refuses as dropped',
    (model) => {
      const { sentBody, dropped } = toChat({ temperature: 0.2, top_p: 0.9 }, model);
      expect(sentBody).not.toHaveProperty('temperature');
      expect(sentBody).not.toHaveProperty('top_p');
      expect(dropped).toEqual(['temperature', 'top_p']);
    },
  );

  it('refuses too many stop sequences for OpenAI, and sends all to other providers', () => {
    const fiveStops = { stop_sequences: ['a', 'b', 'c', 'd', 'e'] };
    expect(refusalOf(() => toChat(fiveStops))).toEqual({
      param: 'stop_sequences',
      code: 'unsupported_parameter',
    });
    expect(toChat(fiveStops, 'qwen3').sentBody.stop).toEqual(fiveStops.stop_sequences);
  });

  it('rewrites call ids that are too long for OpenAI, deterministically', () => {
    const ids = ['1', '2'].map((end) => `toolu_${'x'.repeat(50)}${end}`);
    const uses = ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} }));
    const results = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: id }));
    const body = {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: uses },
        { role: 'user', content: results },
      ],
    };
    const [, answer, ...returned] = toChat(body).sentBody.messages as JsonObject[];
    const { tool_calls: calls } = answer as { tool_calls: { id: string }[] };
    const callIds = calls.map(({ id }) => id);
    expect(callIds).toEqual([`toolu_${'x'.repeat(34)}`, `toolu_${'x'.repeat(32)}_2`]);
    expect(returned).toMatchObject(
      callIds.map((id, index) => ({ tool_call_id: id, content: ids[index] })),
    );
  });
});

describe('the conversion of a chat body for Anthropic', () => {
  const withUser = (schema: object, more = {}) =>
    toMessages({
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, ...more } },
    });

  it('adds the type that Anthropic requires to a schema of parameters', () => {
    const { sentBody } = toMessages({
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
    });
    expect(sentBody.tools).toEqual([{ name: 'f', input_schema: { type: 'object' } }]);
  });

  it('closes every object of an output schema, as Anthropic requires', () => {
    const open = { type: 'object', properties: { b: { type: 'number' } } };
    const properties = { a: { type: 'array', items: open }, c: { anyOf: [open, STRICT] } };
    const { sentBody, dropped } = withUser({ type: 'object', properties, $defs: { d: open } });
    const closed = { ...open, additionalProperties: false };
    expect(sentBody.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { a: { type: 'array', items: closed }, c: { anyOf: [closed, STRICT] } },
          $defs: { d: closed },
          additionalProperties: false,
        },
      },
    });
    expect(dropped).toEqual([]);
  });

  it('does not confuse properties with keywords', () => {
    const named = { type: 'object', properties: { type: { const: 'object' }, properties: {} } };
    const { sentBody } = withUser(named);
    expect(sentBody.output_config).toMatchObject({
      format: { schema: { ...named, additionalProperties: false } },
    });
  });

  it('requests an explicitly open schema by an instruction', () => {
    const schema = { type: 'object', properties: { a: { additionalProperties: true } } };
    const { sentBody, dropped } = withUser(schema);
    expect(sentBody).not.toHaveProperty('output_config');
    expect(sentBody.system).toContain(JSON.stringify(schema));
    expect(dropped).toEqual(['response_format.json_schema.schema']);
  });

  it('reports the name of a schema as dropped', () => {
    expect(withUser(STRICT, { name: 'city' }).dropped).toEqual([
      'response_format.json_schema.name',
    ]);
  });

  it.each([513, 3000, 200_000])('refuses arguments that are nested %p levels deep', (depth) => {
    const calling = (json: string) => ({
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: json } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'x' },
      ],
    });
    const nested = (levels: number): string =>
      `{"a":"]","b":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(refusalOf(() => toMessages(calling(nested(depth))))).toEqual({
      param: 'messages[].tool_calls[].function.arguments',
    });
    expect(() => toMessages(calling(nested(512)))).not.toThrow();
  });

  it('assigns a result to the later of two calls with one id', () => {
    const call = (name: string) => ({
      role: 'assistant',
      tool_calls: [{ id: 'call_0', type: 'function', function: { name, arguments: '{}' } }],
    });
    const { sentBody } = toMessages({
      messages: [
        { role: 'user', content: 'hi' },
        call('f'),
        { role: 'user', content: 'never mind' },
        call('g'),
        { role: 'tool', tool_call_id: 'call_0', content: 'of g' },
      ],
    });
    expect(sentBody.messages).toMatchObject([
      {},
      { content: [{ id: 'call_0', name: 'f' }] },
      {},
      { content: [{ id: 'call_0_2', name: 'g' }] },
      { content: [{ tool_use_id: 'call_0_2' }] },
    ]);
  });
});

describe('features that only one dialect has', () => {
  it('are reported in media sources, document blocks, citations and callers', () => {
    const text = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };
    const content = [
      { type: 'image', source: { type: 'url', url: 'https://a.b/c', crop: 1 } },
      { type: 'document', source: { type: 'content', content: [text] }, citations: { x: 1 } },
    ];
    const caller = { type: 'direct', by: 'x' };
    const use = { type: 'tool_use', id: 'a', name: 'f', input: {}, caller };
    const result = { type: 'tool_result', tool_use_id: 'a' };
    const { dropped } = toChat({
      messages: [
        { role: 'user', content },
        { role: 'assistant', content: [use] },
        { role: 'user', content: [result] },
      ],
    });
    expect(dropped).toEqual([
      'messages[].content[].caller.by',
      'messages[].content[].citations.x',
      'messages[].content[].source.content[].cache_control',
      'messages[].content[].source.crop',
    ]);
  });

  it('are reported in a tool choice', () => {
    const { dropped } = toMessages({
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: { type: 'function', later: 1, function: { name: 'f', now: 2 } },
    });
    expect(dropped).toEqual(['tool_choice.function.now', 'tool_choice.later']);
  });
});

describe('the conversion of an answer for a messages client', () => {
  it('preserves arguments that are nested too deeply as text', () => {
    const value = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const body = messages.encodeResponse(
      { id: 'x', model: 'm', created: 1, promptTokensEstimate: 1, wantsUsage: false },
      [
        { case: 'toolCall', value: { id: 'a', name: 'f' } },
        { case: 'toolArguments', value },
      ],
      {
        finishReason: 'tool_calls',
        usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2, estimated: false },
        stopSequence: '',
      },
    );
    expect(JSON.parse(JSON.stringify(body))).toMatchObject({ content: [{ input: value }] });
  });
});

describe('media of tool results', () => {
  it('can have three hundred thousand parts', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://a' } };
    const content = Array.from({ length: 300_000 }, () => image);
    const { sentBody } = toChat({
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
      ],
    });
    const [, , , shown] = sentBody.messages as { content: unknown[] }[];
    expect(shown?.content).toHaveLength(300_001);
  });
});
