import { describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ConversationSchema } from '@witan/contracts';
import type { PartSchema } from '@witan/contracts';
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
describe('encodeRequest, limits', () => {
  it.each([
    ['claude-sonnet-4-6', undefined, 16_000],
    ['claude-opus-5-5', undefined, 16_000],
    ['a-local-model', undefined, 16_000],
    ['claude-3-haiku-20240307', undefined, 4096],
    ['claude-3-opus-latest', undefined, 4096],
    ['claude-2.1', undefined, 4096],
    ['claude-3-5-sonnet-20241022', undefined, 8192],
    ['claude-3-7-sonnet-latest', undefined, 16_000],
    ['claude-sonnet-4-6', 100, 100],
    ['claude-sonnet-4-6', 64_000, 16_000],
  ])('always sets max_tokens, for %s with limit %p: %p', (model, asked, expected) => {
    const sampling = asked === undefined ? undefined : { maxOutputTokens: asked };
    expect(bodyOf({ sampling }, model).max_tokens).toBe(expected);
  });

  it.each([
    ['claude-sonnet-5-5', {}, 8_100, undefined],
    ['claude-haiku-5-5', { shortAnswer: true }, 4_100, { effort: 'low' }],
    ['claude-sonnet-5-5', { reasoningEffort: 'high' }, 16_000, { effort: 'high' }],
    ['claude-opus-4-8', { shortAnswer: true }, 100, undefined],
    ['claude-haiku-4-5', { shortAnswer: true }, 100, undefined],
    ['a-local-model', { shortAnswer: true }, 100, undefined],
  ])('adds an allowance for reasoning to %s with %j: %d', (model, effort, expected, config) => {
    const sampling = { maxOutputTokens: 100, ...effort };
    const body = bodyOf({ sampling }, model);
    expect([body.max_tokens, body.output_config]).toEqual([expected, config]);
    expect(encode({ sampling }, model)).toMatchObject({ dropped: [], outputTokens: expected });
  });

  it('writes the same bytes for the same conversation', () => {
    const init: Init = {
      system: [{ text: 'be' }],
      tools: [{ name: 'f', parameters: '{}' }],
      toolChoice: { mode: 'auto' },
      sampling: { temperature: 0.5, stop: ['x'], user: 'u', reasoningEffort: 'low', topK: 3 },
      streamed: true,
    };
    expect(encode(init).body).toBe(encode(init).body);
    expect(Object.keys(bodyOf(init))).toEqual([
      'model',
      'max_tokens',
      'system',
      'messages',
      'tools',
      'tool_choice',
      'output_config',
      'stop_sequences',
      'temperature',
      'top_k',
      'metadata',
      'stream',
    ]);
  });
});

describe('encodeRequest, sampling', () => {
  const sampling = { temperature: 0.5, topP: 0.9, topK: 3 };

  it.each([
    ['claude-3-7-sonnet-latest', ['temperature', 'top_k', 'top_p']],
    ['claude-opus-4-20250514', ['temperature', 'top_k', 'top_p']],
    ['claude-sonnet-4-5', ['temperature', 'top_k']],
    ['claude-opus-4-6', ['temperature', 'top_k']],
    ['claude-opus-4-7', []],
    ['claude-sonnet-5', []],
    ['claude-fable-5-1', []],
    ['qwen3', ['temperature', 'top_k', 'top_p']],
  ])('sends %s the parameters that it accepts, and reports the others', (model, sentNames) => {
    const samplingNames = ['temperature', 'top_k', 'top_p'];
    const { body, dropped } = encode({ sampling }, model);
    expect(samplingNames.filter((name) => name in (JSON.parse(body) as JsonObject))).toEqual(
      sentNames,
    );
    expect(dropped).toEqual(samplingNames.filter((name) => !sentNames.includes(name)));
  });

  it('clamps the temperature to 1 and reports it', () => {
    const { body, dropped } = encode({ sampling: { temperature: 1.7 } });
    expect(JSON.parse(body)).toMatchObject({ temperature: 1 });
    expect(dropped).toEqual(['temperature']);
  });

  it.each([
    ['claude-opus-4-5', 'high', 'high'],
    ['claude-opus-4-5', 'max', undefined],
    ['claude-sonnet-4-6', 'xhigh', undefined],
    ['claude-sonnet-4-6', 'max', 'max'],
    ['claude-opus-5', 'xhigh', 'xhigh'],
    ['claude-sonnet-4-5', 'high', undefined],
    ['claude-haiku-4-5', 'low', undefined],
    ['claude-opus-5', 'none', undefined],
    ['claude-opus-5', 'minimal', undefined],
  ])('encodes the effort for %s: %s as %p', (model, reasoningEffort, expected) => {
    const { body, dropped } = encode({ sampling: { reasoningEffort } }, model);
    const { output_config: config } = JSON.parse(body) as { output_config?: unknown };
    expect(config).toEqual(expected === undefined ? undefined : { effort: expected });
    expect(dropped).toEqual(expected === undefined ? ['reasoning_effort'] : []);
  });

  it('reports parameters that the dialect lacks', () => {
    const image: PartInit = {
      part: {
        case: 'image',
        value: { media: { source: { case: 'url', value: 'https://a.b/c' } }, detail: 'low' },
      },
    };
    const { dropped } = encode({
      turns: [{ role: 'user', parts: [image] }],
      sampling: { seed: 1n, presencePenalty: 1, frequencyPenalty: 1, stop: ['\n', 'x'] },
      responseFormat: { kind: 'json_schema', schema: '{}', description: 'd', strict: false },
    });
    expect(dropped).toEqual([
      'frequency_penalty',
      'messages[].content[].image_url.detail',
      'presence_penalty',
      'response_format.json_schema.description',
      'response_format.json_schema.strict',
      'seed',
      'stop',
    ]);
  });
});

describe('encodeRequest, tools and formats', () => {
  it.each([
    [{ mode: 'auto' }, { type: 'auto' }],
    [{ mode: 'required' }, { type: 'any' }],
    [{ mode: 'none', parallel: false }, { type: 'none' }],
    [
      { mode: 'tool', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [
      { mode: 'required', parallel: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [
      { mode: '', parallel: true },
      { type: 'auto', disable_parallel_tool_use: false },
    ],
  ])('encodes the choice %j', (toolChoice, expected) => {
    expect(bodyOf({ tools: [{ name: 'f' }], toolChoice }).tool_choice).toEqual(expected);
  });

  it('encodes a tool without parameters with an empty schema', () => {
    expect(bodyOf({ tools: [{ name: 'f' }] }).tools).toEqual([
      { name: 'f', input_schema: { type: 'object' } },
    ]);
  });

  it('declares the called tools if the request has none, and forbids calls', () => {
    const turns = [
      ...HELLO,
      { role: 'assistant', parts: [call('1', 'g'), call('2', 'f'), call('3', 'g')] },
      { role: 'user', parts: [result('1'), result('2'), result('3')] },
    ];
    expect(bodyOf({ turns })).toMatchObject({
      tools: [{ name: 'g' }, { name: 'f' }],
      tool_choice: { type: 'none' },
    });
  });

  it.each<[Init, string[]]>([
    [{ tools: [{ name: 'f' }], toolChoice: { mode: 'auto', parallel: false } }, []],
    [{ tools: [{ name: 'f' }], toolChoice: { mode: 'none' } }, []],
    [
      { tools: [{ name: 'f' }], toolChoice: { mode: 'none', parallel: false } },
      ['parallel_tool_calls'],
    ],
    [{ toolChoice: { mode: 'auto' } }, []],
    [{ toolChoice: { mode: 'auto', parallel: false } }, ['parallel_tool_calls']],
    [{ toolChoice: { mode: 'none', parallel: true } }, ['parallel_tool_calls', 'tool_choice']],
    [
      {
        turns: [...HELLO, { role: 'assistant', parts: [call('1')] }],
        toolChoice: { mode: 'required' },
      },
      ['tool_choice'],
    ],
    [
      {
        turns: [...HELLO, { role: 'assistant', parts: [call('1')] }],
        toolChoice: { mode: 'none' },
      },
      [],
    ],
  ])('reports the parts of a choice that it cannot express: %j', (init, dropped) => {
    expect(encode(init).dropped).toEqual(dropped);
  });

  it('omits a choice without effect if there are no tools', () => {
    expect(bodyOf({ toolChoice: { mode: 'auto', parallel: false } })).not.toHaveProperty(
      'tool_choice',
    );
    expect(bodyOf({ toolChoice: { mode: 'required' } }).tool_choice).toEqual({ type: 'any' });
  });

  it('requests JSON by an instruction after all others', () => {
    const responseFormat = { kind: 'json_object' };
    expect(bodyOf({ system: [{ text: 'be' }], responseFormat }).system).toEqual([
      { type: 'text', text: 'be' },
      { type: 'text', text: 'Answer with one valid JSON object and nothing else.' },
    ]);
  });

  it('requests a schema by output_config', () => {
    const schema =
      '{"type":"object","properties":{"n":{"enum":[12345678901234567890]}},' +
      '"additionalProperties":false}';
    const { body } = encode({ responseFormat: { kind: 'json_schema', name: 'n', schema } });
    expect(body).toContain(`"output_config":{"format":{"type":"json_schema","schema":${schema}}}`);
  });

  const BOUNDED = {
    type: 'object',
    properties: {
      minimum: { type: 'integer', description: 'Age', minimum: 18, maximum: 99 },
      tags: { type: 'array', minItems: 2, items: { type: 'string', maxLength: 5 } },
      list: { type: 'array', minItems: 1, items: {} },
    },
  };
  const ENFORCED = {
    type: 'object',
    properties: {
      minimum: { type: 'integer', description: 'Age\n\n{"minimum":18,"maximum":99}' },
      tags: {
        type: 'array',
        items: { type: 'string', description: '{"maxLength":5}' },
        description: '{"minItems":2}',
      },
      list: { type: 'array', minItems: 1, items: {} },
    },
    additionalProperties: false,
  };

  it('describes constraints that Anthropic does not enforce, and reports them', () => {
    const schema = JSON.stringify(BOUNDED);
    const { body, dropped } = encode({ responseFormat: { kind: 'json_schema', schema } });
    expect(JSON.parse(body)).toMatchObject({ output_config: { format: { schema: ENFORCED } } });
    expect(dropped).toEqual(
      ['maxLength', 'maximum', 'minItems', 'minimum'].map(
        (name) => `response_format.json_schema.schema.${name}`,
      ),
    );
  });

  it('does the same in strict tools, and leaves other tools unchanged', () => {
    const parameters = JSON.stringify(BOUNDED);
    const { body, dropped } = encode({
      tools: [
        { name: 'f', parameters, strict: true },
        { name: 'g', parameters },
      ],
    });
    expect((JSON.parse(body) as JsonObject).tools).toEqual([
      { name: 'f', input_schema: ENFORCED, strict: true },
      { name: 'g', input_schema: BOUNDED },
    ]);
    expect(dropped).toEqual(
      ['maxLength', 'maximum', 'minItems', 'minimum'].map(
        (name) => `tools[].function.parameters.${name}`,
      ),
    );
  });

  const A = { type: 'object', properties: { a: { type: 'string' } } };
  const B = { type: 'object', properties: { b: { type: 'string' } } };
  const inA = (schema: object): object => ({ type: 'object', properties: { a: schema } });

  it.each<[string, object]>([
    ['allows additional properties', { additionalProperties: { type: 'string' } }],
    ['has a nested object without properties', inA({ type: 'object' })],
    ['has a list of such objects', inA({ type: 'array', items: { type: ['object', 'null'] } })],
    ['defines such an object', { ...A, $defs: { B: { type: 'object' } } }],
    ['combines objects', inA({ allOf: [A, B] })],
    ['combines an object with a reference', inA({ allOf: [A, { $ref: '#/$defs/B' }] })],
    ['combines references', inA({ allOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] })],
    ['combines an object with variants', { ...A, anyOf: [{ ...B, additionalProperties: false }] }],
    ['combines an object with its own reference', { ...A, $ref: '#/$defs/B' }],
    ['combines an object with nested variants', { allOf: [A, { oneOf: [B, { anyOf: [B] }] }] }],
  ])('does not enforce a schema that %s, and reports it', (_name, open) => {
    const schema = { type: 'object', ...open };
    const parameters = JSON.stringify(schema);
    const { body, dropped } = encode({
      tools: [{ name: 'f', parameters, strict: true }],
      responseFormat: { kind: 'json_schema', schema: parameters },
    });
    const sent = JSON.parse(body) as JsonObject;
    expect(sent.tools).toEqual([{ name: 'f', input_schema: schema }]);
    expect(sent).not.toHaveProperty('output_config');
    expect(JSON.stringify(sent.system)).toContain('fits this JSON Schema');
    expect(dropped).toEqual(['response_format.json_schema.schema', 'tools[].function.strict']);
  });

  it.each<[string, object]>([
    [
      'an object without properties that is closed',
      inA({ type: 'object', additionalProperties: false }),
    ],
    ['an object that names no properties', inA({ type: 'object', properties: {} })],
    ['variants of objects', inA({ anyOf: [A, B, { $ref: '#/$defs/B' }, { type: 'null' }] })],
    ['a single reference', { ...inA({ allOf: [{ $ref: '#/$defs/B' }] }), $defs: { B } }],
    ['conditions on its members', { ...A, anyOf: [{ required: ['a'] }, { required: [] }] }],
    ['a property named like a keyword', { properties: { $ref: A, allOf: B } }],
  ])('enforces a schema with %s', (_name, closable) => {
    const parameters = JSON.stringify(closable);
    const { body, dropped } = encode({ tools: [{ name: 'f', parameters, strict: true }] });
    expect(JSON.parse(body)).toMatchObject({
      tools: [{ name: 'f', strict: true, input_schema: { additionalProperties: false } }],
    });
    expect(dropped).toEqual([]);
  });

  it('enforces that a strict tool without parameters gets none', () => {
    expect(bodyOf({ tools: [{ name: 'f', strict: true }] }).tools).toEqual([
      { name: 'f', input_schema: { type: 'object', additionalProperties: false }, strict: true },
    ]);
  });
});
