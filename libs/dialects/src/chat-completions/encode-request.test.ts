import { readFileSync } from 'node:fs';
import { create, fromJson } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { ConversationSchema } from '@witan/contracts';
import type { JsonObject } from '../json/json-value.ts';
import { encodeRequest } from './encode-request.ts';

const golden = (name: string): string =>
  readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8');

const HELLO = [
  { role: 'user', parts: [{ part: { case: 'text' as const, value: { text: 'hi' } } }] },
];

const encode = (init: MessageInitShape<typeof ConversationSchema>, model = 'llama') => {
  const conversation = create(ConversationSchema, { turns: HELLO, ...init });
  const { body, dropped } = encodeRequest(conversation, { model, maxOutputTokens: 100 });
  return { text: body, body: JSON.parse(body) as JsonObject, dropped };
};

describe('encodeRequest', () => {
  it('encodes a tool loop as in the golden file', () => {
    const conversation = fromJson(
      ConversationSchema,
      JSON.parse(golden('agent-loop.conversation.json')),
    );
    const target = { model: 'gpt-4.1', maxOutputTokens: 800 };
    const { body, dropped } = encodeRequest(conversation, target);
    expect(body).toBe(JSON.stringify(JSON.parse(golden('agent-loop.egress.json'))));
    expect(dropped).toEqual([]);
    expect(encodeRequest(conversation, target).body).toBe(body);
  });

  it('encodes no members that are not set', () => {
    expect(encode({}).text).toBe('{"model":"llama","messages":[{"role":"user","content":"hi"}]}');
  });

  it.each([
    ['gpt-4o', 'max_completion_tokens'],
    ['o3-mini', 'max_completion_tokens'],
    ['chatgpt-latest', 'max_completion_tokens'],
    ['gpt-oss:20b', 'max_tokens'],
    ['ollama/qwen3', 'max_tokens'],
  ])('limits the answer of %s by %s, clamped to the cap', (model, name) => {
    const { body } = encode({ sampling: { maxOutputTokens: 101 } }, model);
    expect(body).toEqual(expect.objectContaining({ model, [name]: 100 }));
    expect(Object.keys(body)).toHaveLength(3);
  });

  it.each([
    ['gpt-4.1', {}, 120],
    ['gpt-5-chat-latest', {}, 120],
    ['gpt-5', {}, 8_120],
    ['o4-mini', { shortAnswer: true }, 4_120],
    ['gpt-5-mini', { reasoningEffort: 'minimal' }, 1_120],
    ['gpt-5.4', { reasoningEffort: 'none' }, 120],
    ['gpt-5', { reasoningEffort: 'high' }, 16_000],
  ])('adds an allowance for reasoning to %s with %j: %d tokens', (model, effort, expected) => {
    const sampling = { maxOutputTokens: 120, ...effort };
    const conversation = create(ConversationSchema, { turns: HELLO, sampling });
    const encoded = encodeRequest(conversation, { model, maxOutputTokens: 16_000 });
    expect(JSON.parse(encoded.body)).toMatchObject({ max_completion_tokens: expected });
    expect(encoded.outputTokens).toBe(expected);
  });

  it.each([
    ['gpt-5', '', 'low'],
    ['gpt-5', 'high', 'high'],
    ['o3', '', 'low'],
    ['gpt-5.2-pro', '', undefined],
    ['o1-mini', '', undefined],
    ['gpt-4.1', '', undefined],
    ['llama', '', undefined],
  ])(
    'requests a short answer from %s with the effort "%s": %s',
    (model, reasoningEffort, expected) => {
      const { body, dropped } = encode({ sampling: { shortAnswer: true, reasoningEffort } }, model);
      expect([body.reasoning_effort, dropped]).toEqual([expected, []]);
    },
  );

  it('adds no limit, and preserves a smaller one', () => {
    expect(encode({ sampling: { user: 'u' } }).body).not.toHaveProperty('max_tokens');
    expect(encode({ sampling: { maxOutputTokens: 99 } }).body.max_tokens).toBe(99);
  });

  it.each([
    ['no sampling', {}, { max_completion_tokens: 100 }],
    ['no limit', { sampling: { temperature: 1 } }, { max_completion_tokens: 100 }],
    ['a limit', { sampling: { maxOutputTokens: 9 } }, { max_completion_tokens: 9 }],
  ])('limits a call that must have a limit and has %s', (_name, parts, expected) => {
    const conversation = create(ConversationSchema, { ...parts, turns: [] });
    const target = { model: 'gpt-4.1', maxOutputTokens: 100, isLimited: true };
    const body: unknown = JSON.parse(encodeRequest(conversation, target).body);
    expect(body).toMatchObject(expected);
  });

  it('requests the usage of a stream', () => {
    expect(encode({ streamed: true }).body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('preserves zeros, and seeds beyond 2^53', () => {
    const sampling = { temperature: 0, topP: 0, presencePenalty: 0, seed: 9007199254740993n };
    const { text } = encode({ sampling });
    expect(text).toContain(
      '"temperature":0,"top_p":0,"seed":9007199254740993,"presence_penalty":0',
    );
  });

  it.each([
    ['o3-mini', ['temperature', 'top_p']],
    ['gpt-5', ['temperature', 'top_p']],
    ['gpt-5-mini-2025-08-07', ['temperature', 'top_p']],
    ['gpt-5.4', ['temperature', 'top_p']],
    ['gpt-5-chat-latest', []],
    ['gpt-4.1', []],
    ['gpt-oss:20b', []],
    ['llama', []],
  ])(
    'sends sampling parameters to %s unless it refuses them: %j are dropped',
    (model, expected) => {
      const { body, dropped } = encode({ sampling: { temperature: 0.5, topP: 0.9 } }, model);
      expect(dropped).toEqual(expected);
      expect('temperature' in body).toBe(expected.length === 0);
    },
  );

  it('reports top_k as dropped', () => {
    const { body, dropped } = encode({ sampling: { topK: 40 } });
    expect(dropped).toEqual(['top_k']);
    expect(body).not.toHaveProperty('top_k');
  });

  it('encodes both JSON formats, with a default name for the schema', () => {
    expect(encode({ responseFormat: { kind: 'json_object' } }).body.response_format).toEqual({
      type: 'json_object',
    });
    const schema = '{"type":"object","minimum":1.0}';
    const { text } = encode({ responseFormat: { kind: 'json_schema', schema } });
    expect(text).toContain(`"json_schema":{"name":"answer","schema":${schema}}`);
  });

  it('refuses a schema that is not JSON', () => {
    expect(() => encode({ responseFormat: { kind: 'json_schema', schema: '{' } })).toThrow(
      expect.objectContaining({ fields: { param: 'response_format.schema' } }),
    );
  });
});
