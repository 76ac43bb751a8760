import { describe, expect, it } from '@jest/globals';
import { toJson } from '@bufbuild/protobuf';
import { ConversationSchema } from '@witan/contracts';
import { refusalOf } from '../../test/refusal-of.ts';
import type { JsonObject } from '../json/json-value.ts';
import { decodeRequest } from './decode-request.ts';

const USER = { role: 'user', content: 'hi' };
const decode = (body: JsonObject) => decodeRequest({ messages: [USER], ...body });
const decodeContent = (...content: unknown[]) => decode({ messages: [{ role: 'user', content }] });
const conversationOf = (body: JsonObject) => toJson(ConversationSchema, decode(body).conversation);

/**
 * Every field of the request type in the SDK (1.10, including beta and older fields), with a value
 * and the expected treatment.
 */
const FIELDS: Readonly<Record<string, readonly [unknown, 'read' | 'refused' | 'dropped']>> = {
  anthropic_beta: [['x'], 'dropped'],
  betas: [['x'], 'dropped'],
  billing_policy: [{}, 'dropped'],
  cache_control: [{ type: 'ephemeral' }, 'dropped'],
  compaction: [{}, 'dropped'],
  container: ['c_1', 'refused'],
  context_management: [{ edits: [] }, 'dropped'],
  diagnostics: [{}, 'dropped'],
  fallback_credit_token: ['t', 'dropped'],
  fallbacks: [{}, 'dropped'],
  inference_geo: ['eu', 'dropped'],
  max_tokens: [5, 'read'],
  mcp_servers: [[{ type: 'url' }], 'refused'],
  messages: [[USER], 'read'],
  metadata: [{ user_id: 'u' }, 'read'],
  model: ['m', 'read'],
  output_config: [{ effort: 'low' }, 'read'],
  output_format: [{ type: 'json_schema', schema: {} }, 'read'],
  service_tier: ['auto', 'dropped'],
  speed: ['fast', 'dropped'],
  stop_sequences: [['x'], 'read'],
  stream: [true, 'read'],
  system: ['be', 'read'],
  temperature: [0.5, 'read'],
  thinking: [{ type: 'enabled', budget_tokens: 1024 }, 'dropped'],
  thread: [{}, 'refused'],
  tool_choice: [{ type: 'auto' }, 'read'],
  tools: [[{ name: 'f', input_schema: {} }], 'read'],
  top_k: [5, 'read'],
  top_p: [0.5, 'read'],
  user_profile_id: ['u', 'dropped'],
  workspace_id: ['w', 'dropped'],
};

describe('decodeRequest, field by field', () => {
  it.each(Object.entries(FIELDS).filter(([, [, fate]]) => fate === 'dropped'))(
    'drops and reports %s',
    (name, [value]) => {
      expect(decode({ [name]: value }).dropped).toEqual([name]);
    },
  );

  it.each(Object.entries(FIELDS).filter(([, [, fate]]) => fate === 'refused'))(
    'refuses %s with its path',
    (name, [value]) => {
      expect(refusalOf(() => decode({ [name]: value }))).toEqual({
        param: name,
        code: 'unsupported_parameter',
      });
    },
  );

  it('decodes all other fields together, and treats null as absent', () => {
    const read = Object.entries(FIELDS).filter(([, [, fate]]) => fate === 'read');
    const body = Object.fromEntries(read.map(([name, [value]]) => [name, value]));
    expect(decode(body).dropped).toEqual([]);
    expect(conversationOf(body)).toEqual({
      system: [{ text: 'be' }],
      turns: [{ role: 'user', parts: [{ text: { text: 'hi' } }] }],
      tools: [{ name: 'f', parameters: '{}' }],
      toolChoice: { mode: 'auto' },
      responseFormat: { kind: 'json_schema', name: 'answer', schema: '{}' },
      sampling: {
        maxOutputTokens: 5,
        temperature: 0.5,
        topP: 0.5,
        topK: 5,
        stop: ['x'],
        reasoningEffort: 'low',
        user: 'u',
      },
      streamed: true,
    });
    const nothing = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, null]));
    expect(decodeRequest({ ...nothing, messages: [USER] })).toEqual(decode({}));
    expect(decode({}).conversation.sampling).toBeUndefined();
  });

  it('reports unknown fields at every depth, without list indexes', () => {
    const text = { type: 'text', text: 'x', citations: [{}], later: 1 };
    const message = { role: 'user', content: [text, text], id: 'msg' };
    const { dropped } = decode({
      novelty: 1,
      messages: [message, message],
      metadata: { user_id: 'u', team: 't' },
      output_config: { task_budget: 5 },
      tool_choice: { type: 'auto', later: 1 },
      tools: [{ name: 'f', input_schema: {}, input_examples: [{}], defer_loading: true }],
    });
    expect(dropped).toEqual([
      'messages[].content[].citations',
      'messages[].content[].later',
      'messages[].id',
      'metadata.team',
      'novelty',
      'output_config.task_budget',
      'tool_choice.later',
      'tools[].defer_loading',
      'tools[].input_examples',
    ]);
  });
});

const OF_PROVIDER: readonly (readonly [string, () => unknown])[] = [
  ...['server_tool_use', 'web_search_tool_result', 'search_result', 'container_upload', 'new'].map(
    (type) => ['messages[0].content[0].type', () => decodeContent({ type })] as const,
  ),
  [
    'messages[0].content[1].source.type',
    () =>
      decodeContent(
        { type: 'text', text: 'x' },
        { type: 'image', source: { type: 'file', file_id: 'f' } },
      ),
  ],
  [
    'messages[0].content[0].source.type',
    () => decodeContent({ type: 'document', source: { type: 'file', file_id: 'f' } }),
  ],
  [
    'messages[0].content[0].source.content[0].type',
    () =>
      decodeContent({
        type: 'document',
        source: { type: 'content', content: [{ type: 'image' }] },
      }),
  ],
  [
    'messages[0].content[0].citations',
    () =>
      decodeContent({
        type: 'document',
        citations: { enabled: true },
        source: { type: 'text', data: 'x' },
      }),
  ],
  [
    'messages[0].content[0].context',
    () => decodeContent({ type: 'document', context: 'c', source: { type: 'text', data: 'x' } }),
  ],
  [
    'messages[0].content[0].caller',
    () =>
      decodeContent({ type: 'tool_use', id: 'a', name: 'f', input: {}, caller: { type: 'code' } }),
  ],
  [
    'messages[0].content[0].toolset_name',
    () => decodeContent({ type: 'tool_result', tool_use_id: 'a', toolset_name: 'browser' }),
  ],
  [
    'messages[0].content[0].content[0].type',
    () =>
      decodeContent({
        type: 'tool_result',
        tool_use_id: 'a',
        content: [{ type: 'tool_reference' }],
      }),
  ],
  ['system[0].type', () => decode({ system: [{ type: 'image' }] })],
  ['tools[0].type', () => decode({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] })],
  [
    'tools[0].allowed_callers',
    () => decode({ tools: [{ name: 'f', allowed_callers: ['code_execution_20250825'] }] }),
  ],
  ['output_config.format.type', () => decode({ output_config: { format: { type: 'grammar' } } })],
];

const WRONG: readonly (readonly [string, () => unknown])[] = [
  ['messages', () => decodeRequest({})],
  ['messages', () => decode({ messages: [] })],
  ['messages', () => decode({ messages: [{ role: 'user', content: '' }] })],
  ['messages[0]', () => decode({ messages: ['hi'] })],
  ['messages[0].role', () => decode({ messages: [{ role: 'tool', content: 'x' }] })],
  ['messages[0].content', () => decode({ messages: [{ role: 'user', content: 5 }] })],
  ['messages[0].content[0].text', () => decodeContent({ type: 'text' })],
  ['messages[0].content[0].id', () => decodeContent({ type: 'tool_use', name: 'f', input: {} })],
  ['max_tokens', () => decode({ max_tokens: '5' })],
  ['max_tokens', () => decode({ max_tokens: 0 })],
  ['temperature', () => decode({ temperature: 1.5 })],
  ['stop_sequences[1]', () => decode({ stop_sequences: ['a', 1] })],
  ['stream', () => decode({ stream: 'yes' })],
  ['output_config.effort', () => decode({ output_config: { effort: 'ultra' } })],
  ['tool_choice.type', () => decode({ tool_choice: { type: 'required' } })],
  ['tool_choice.name', () => decode({ tool_choice: { type: 'tool' } })],
  ['tools[0].input_schema', () => decode({ tools: [{ name: 'f', input_schema: 'x' }] })],
];

describe('decodeRequest, refusals', () => {
  it.each(OF_PROVIDER)("refuses a provider's own feature at %s", (path, run) => {
    expect(refusalOf(run)).toEqual({ param: path, code: 'unsupported_parameter' });
  });

  it.each(WRONG)('refuses a body that is invalid at %s', (path, run) => {
    expect(refusalOf(run)).toEqual({ param: path });
  });
});

describe('decodeRequest, turns', () => {
  it('puts all results of a turn before its text', () => {
    const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: id });
    const messages = [
      USER,
      { role: 'user', content: [{ type: 'text', text: 'a' }, result('1')] },
      { role: 'user', content: [{ type: 'text', text: 'b' }, result('2')] },
    ];
    const { turns } = decode({ messages }).conversation;
    expect(turns).toHaveLength(1);
    expect(turns[0]?.parts.map(({ part }) => part.case)).toEqual([
      'toolResult',
      'toolResult',
      'text',
      'text',
      'text',
    ]);
  });

  it('moves system messages to the instructions, in order', () => {
    const messages = [USER, { role: 'system', content: 'b' }, { role: 'user', content: 'c' }];
    const { system, turns } = decode({
      system: [{ type: 'text', text: 'a' }],
      messages,
    }).conversation;
    expect(system.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(turns).toHaveLength(1);
  });

  it('decodes a document of text blocks as text', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    const { conversation } = decodeContent({
      type: 'document',
      source: { type: 'content', content },
    });
    expect(conversation.turns[0]?.parts[0]?.part).toMatchObject({
      case: 'document',
      value: { media: { source: { case: 'text', value: 'a\n\nb' } } },
    });
  });

  it('accepts a million messages of one role', () => {
    const messages = Array.from({ length: 1_000_000 }, () => USER);
    expect(decode({ messages }).conversation.turns[0]?.parts).toHaveLength(1_000_000);
  });
});
