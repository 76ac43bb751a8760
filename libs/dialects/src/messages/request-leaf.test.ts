import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../json/json-value.ts';
import { arbitraryBody, arbitraryPath, markOf, classifyLeaves } from '../../test/string-leaves.ts';
import { toRequestLeaf } from './request.ts';

const MARKS: Readonly<Record<string, unknown>> = {
  T: 'text',
  D: 'data',
  N: 'name',
  E: 'filename',
  S: 'signed',
  M: 'media',
  F: 'fixed',
};

const CACHE = { cache_control: { type: 'ephemeral', ttl: '5m' } };
const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string', description: 'T:of a client', enum: ['a'] } },
  required: ['name'],
};
const TOOL = { name: 'find_client', description: 'T:', input_schema: SCHEMA };

/**
 * Request bodies. A prefix such as `T:` names the kind that the string must be classified as;
 * strings without a prefix must be `fixed`.
 */
const BODIES: readonly (readonly [string, JsonObject])[] = [
  [
    'API enums and ids',
    {
      model: 'claude-opus',
      service_tier: 'auto',
      speed: 'fast',
      inference_geo: 'eu',
      betas: ['compact-2026'],
      thinking: { type: 'enabled', display: 'summarized', block_binding: { x: 'drop_block' } },
      tool_choice: { type: 'tool', name: 'find_client' },
      container: { id: 'container_1', skills: [{ skill_id: 'a', type: 'custom', version: '1' }] },
      billing_policy: { type: 'billing_policy', bill_to: 'self' },
      diagnostics: { previous_message_id: 'msg_1' },
      thread: { type: 'continue', previous_message_id: 'msg_1' },
      fallback_credit_token: { token: 'a', mode: 'strict' },
      user_profile_id: 'a',
      workspace_id: 'b',
      ...CACHE,
    },
  ],
  ['ids of the body', { container: 'container_1', fallback_credit_token: 'a' }],
  [
    'MCP servers',
    { mcp_servers: [{ type: 'url', url: 'https://a', name: 'b', authorization_token: 'c' }] },
  ],
  ['user ids that clients choose', { metadata: { user_id: 'T:alice@example.com', type: 'T:' } }],
  ['stop sequences', { stop_sequences: ['T:'] }],
  ['unknown members', { guidance: 'T:', extra: { note: 'T:', type: 'T:' } }],
  [
    'instructions for summaries',
    {
      compaction: { type: 'summarize', instructions: 'T:' },
      context_management: {
        edits: [
          { type: 'compact_20260112', instructions: 'T:', trigger: { type: 'input_tokens' } },
          { type: 'clear_tool_uses_20250919', exclude_tools: ['a'], keep: { type: 'tool_uses' } },
          { type: 'clear_thinking_20251015', keep: 'all' },
        ],
      },
    },
  ],
  [
    'a response format',
    {
      output_config: {
        effort: 'high',
        task_budget: { type: 'tokens' },
        format: { type: 'json_schema', schema: SCHEMA },
        novelty: 'T:',
      },
      output_format: { type: 'json_schema', schema: SCHEMA },
    },
  ],
  ['routing of OpenRouter', { provider: { order: ['Novita'] }, models: ['grace'] }],
  ['fallbacks of the provider', { fallbacks: 'default' }],
  [
    'fallbacks to other models',
    {
      fallbacks: [
        { model: 'claude-b', speed: 'fast', output_config: { format: { schema: SCHEMA } } },
        { model: 'claude-c', system: 'T:', tools: [TOOL], novelty: 'T:' },
      ],
    },
  ],
  ['instructions', { system: 'T:' }],
  ['instructions in blocks', { system: [{ type: 'text', text: 'T:', ...CACHE }] }],
  [
    'instructions between turns',
    {
      messages: [
        {
          role: 'system',
          clear_at: 'never',
          output_config: { effort: 'low' },
          content: [
            { type: 'text', text: 'T:' },
            { type: 'tool_addition', tool: { type: 'tool_reference', name: 'find_client' } },
            {
              type: 'tool_addition',
              tool: { type: 'mcp_tool_reference', name: 'a', server_name: 'b' },
            },
            { type: 'tool_addition', tool: { type: 'tool_definition', definition: TOOL } },
            { type: 'tool_removal', tool: { type: 'tool_reference', name: 'find_client' } },
          ],
        },
      ],
    },
  ],
  [
    'a turn with string content',
    {
      messages: [
        { role: 'user', id: 'a', type: 'message', content: 'T:', name: 'T:', note: 'T:', ...CACHE },
      ],
    },
  ],
  [
    'tools',
    {
      tools: [
        {
          ...TOOL,
          type: 'custom',
          input_examples: [{ name: 'D:', id: 'D:' }],
          allowed_callers: ['direct'],
          novelty: 'T:',
          ...CACHE,
        },
        {
          type: 'web_search_20260318',
          name: 'web_search',
          allowed_domains: ['a.example'],
          blocked_domains: ['b.example'],
          response_inclusion: 'full',
          user_location: {
            type: 'approximate',
            city: 'T:',
            region: 'T:',
            country: 'CH',
            timezone: 'Europe/Zurich',
          },
        },
        {
          type: 'web_fetch_20260318',
          name: 'web_fetch',
          url_sources: { user_input: { type: 'only', tools: [{ type: 'a', name: 'b' }] } },
        },
        {
          type: 'advisor_20260301',
          name: 'advisor',
          model: 'a',
          caching: { type: 'ephemeral', ttl: '1h' },
        },
        { type: 'mcp_toolset', mcp_server_name: 'a', tools: [TOOL] },
      ],
    },
  ],
  ['invalid turns', { messages: ['T:', { content: { text: 'T:' } }, 5], system: { a: 'T:' } }],
  ['invalid tools', { tools: ['T:', [{ name: 'a', note: 'T:' }]] }],
];

const KEYS = [
  ...['messages', 'content', 'system', 'tools', 'tool', 'definition', 'input', 'input_schema'],
  ...['source', 'data', 'url', 'file_id', 'citations', 'cited_text', 'signature', 'type', 'name'],
  ...['fallbacks', 'output_config', 'schema'],
];
const TYPES = ['text', 'thinking', 'tool_use', 'compaction', 'redacted_thinking', 'base64'];

describe('toRequestLeaf of messages', () => {
  it.each(BODIES)('classifies %s', (_name, body) => {
    expect(classifyLeaves(body, ({ path }) => toRequestLeaf(path, body))).toEqual(
      classifyLeaves(body, (leaf) => MARKS[markOf(leaf)]),
    );
  });

  it('accepts a body that is not an object', () => {
    expect(toRequestLeaf([], 'a' as never)).toBe('text');
    expect(toRequestLeaf([0], ['a'] as never)).toBe('text');
  });

  it('accepts any body and any path', () => {
    fc.assert(
      fc.property(arbitraryBody(KEYS, TYPES), arbitraryPath(KEYS), (body, path) => {
        const kinds = classifyLeaves(body, (leaf) => toRequestLeaf(leaf.path, body));
        for (const kind of kinds)
          expect(kind).toMatch(/: (?:text|data|name|filename|fixed|signed|media)$/);
        expect(Object.values(MARKS)).toContain(toRequestLeaf(path, body));
      }),
    );
  });
});
