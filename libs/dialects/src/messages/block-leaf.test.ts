import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../json/json-value.ts';
import { arbitraryBody, arbitraryPath, markOf, classifyLeaves } from '../../test/string-leaves.ts';
import { toBlockLeaf, toRequestLeaf } from './request.ts';

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
const TOOL = {
  name: 'find_client',
  description: 'T:',
  input_schema: { type: 'object', description: 'T:' },
};
const CALLER = { caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' } };

const turn = (role: string, ...content: object[]): JsonObject => ({
  messages: [{ role, content }],
});

/**
 * Messages. A prefix such as `T:` names the kind that the string must be classified as; strings
 * without a prefix must be `fixed`.
 */
const TURNS: readonly (readonly [string, JsonObject])[] = [
  [
    'images and documents',
    turn(
      'user',
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'M:' },
        transformations: { oversized_image: 'downsize' },
        ...CACHE,
      },
      { type: 'image', source: { type: 'url', url: 'M:' } },
      { type: 'image', source: { type: 'file', file_id: 'M:' } },
      {
        type: 'document',
        title: 'T:',
        context: 'T:',
        source: { type: 'base64', media_type: 'application/pdf', data: 'M:' },
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'T:' } },
      { type: 'document', source: { type: 'content', content: 'T:' } },
      {
        type: 'document',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'T:' },
            { type: 'image', source: { type: 'url', url: 'M:' } },
          ],
        },
      },
      { type: 'document', source: { type: 'novelty', note: 'T:' } },
      { type: 'container_upload', file_id: 'M:' },
    ),
  ],
  [
    'retrieved passages',
    turn('user', {
      type: 'search_result',
      source: 'T:',
      title: 'T:',
      content: [{ type: 'text', text: 'T:', ...CACHE }],
    }),
  ],
  [
    'results of tools',
    turn(
      'user',
      { type: 'tool_result', tool_use_id: 'a', content: 'T:{"id":"x"}', toolset_name: 'browser' },
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: 'T:' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'M:' } },
          { type: 'document', title: 'T:', source: { type: 'text', data: 'T:' } },
          { type: 'search_result', source: 'T:', title: 'T:', content: [{ text: 'T:' }] },
          { type: 'tool_reference', tool_name: 'find_client' },
          {
            type: 'browser_state',
            tabs: [{ tab_id: 'a', title: 'T:', url: 'T:' }],
            state_changes: [
              { type: 'download_failed', download_id: 'a', url: 'T:', error: 'T:' },
              { type: 'download_completed', download_id: 'a', url: 'T:', path: 'T:' },
            ],
          },
        ],
      },
    ),
  ],
  [
    'thinking and signatures',
    turn(
      'assistant',
      { type: 'thinking', thinking: 'S:', signature: 'S:' },
      { type: 'redacted_thinking', data: 'S:' },
      { type: 'text', text: 'T:', thinking: 'T:', data: 'T:' },
    ),
  ],
  [
    'calls, and arguments with any keys',
    turn(
      'assistant',
      {
        type: 'tool_use',
        id: 'a',
        name: 'find_client',
        toolset_name: 'browser',
        input: { name: 'D:', type: 'D:', id: 'D:', source: { type: 'D:', data: 'D:' } },
        ...CALLER,
      },
      { type: 'server_tool_use', id: 'a', name: 'web_search', input: { query: 'D:' }, ...CALLER },
      { type: 'mcp_tool_use', id: 'a', name: 'b', server_name: 'c', input: { tools: ['D:'] } },
      { type: 'tool_use', id: 'a', name: 'b', input: 'D:' },
    ),
  ],
  [
    'citations',
    turn('assistant', {
      type: 'text',
      text: 'T:',
      citations: [
        { type: 'char_location', cited_text: 'T:', document_title: 'T:', file_id: 'file_1' },
        {
          type: 'web_search_result_location',
          cited_text: 'T:',
          title: 'T:',
          url: 'T:',
          encrypted_index: 'S:',
        },
        { type: 'search_result_location', cited_text: 'T:', source: 'T:', title: 'T:' },
      ],
    }),
  ],
  [
    'results of searches that the provider ran',
    turn(
      'assistant',
      {
        type: 'web_search_tool_result',
        tool_use_id: 'a',
        content: [
          {
            type: 'web_search_result',
            title: 'T:',
            url: 'T:',
            page_age: 'T:',
            encrypted_content: 'S:',
          },
        ],
        ...CALLER,
      },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'a',
        content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
      },
      {
        type: 'web_fetch_tool_result',
        tool_use_id: 'a',
        content: {
          type: 'web_fetch_result',
          url: 'T:',
          retrieved_at: '2026-08-01T00:00:00Z',
          content: {
            type: 'document',
            title: 'T:',
            source: { type: 'text', media_type: 'text/plain', data: 'T:' },
          },
        },
      },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'a',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'find_client' }],
        },
      },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'a',
        content: { type: 'error', error_code: 'unavailable', error_message: 'T:' },
      },
    ),
  ],
  [
    'results of code and servers that the provider ran',
    turn(
      'assistant',
      {
        type: 'code_execution_tool_result',
        tool_use_id: 'a',
        content: {
          type: 'code_execution_result',
          stdout: 'T:',
          stderr: 'T:',
          content: [{ type: 'code_execution_output', file_id: 'M:' }],
        },
      },
      {
        type: 'code_execution_tool_result',
        tool_use_id: 'a',
        content: { type: 'encrypted_code_execution_result', encrypted_stdout: 'S:', stderr: 'T:' },
      },
      {
        type: 'text_editor_code_execution_tool_result',
        tool_use_id: 'a',
        content: { type: 'view_result', file_type: 'text', content: 'T:', lines: ['T:'] },
      },
      { type: 'mcp_tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'T:' }] },
      { type: 'mcp_tool_result', tool_use_id: 'a', content: 'T:' },
      {
        type: 'advisor_tool_result',
        tool_use_id: 'a',
        content: { type: 'advisor_result', text: 'T:', stop_reason: 'end_turn' },
      },
      {
        type: 'advisor_tool_result',
        tool_use_id: 'a',
        content: { type: 'advisor_redacted_result', encrypted_content: 'S:' },
      },
      { type: 'mcp_tool_listing', mcp_server_name: 'a', tools: [TOOL] },
      {
        type: 'fallback',
        from: { model: 'a' },
        to: { model: 'b' },
        trigger: { type: 'refusal', category: 'cyber' },
      },
    ),
  ],
  [
    'signed and unsigned summaries',
    turn(
      'assistant',
      {
        type: 'compaction',
        content: 'S:',
        encrypted_content: 'S:',
        signature: 'S:',
        tool_changes: [{ type: 'S:', tool: { definition: { description: 'S:' } } }],
      },
      {
        type: 'compaction',
        content: 'T:',
        signature: null,
        tool_changes: [{ type: 'tool_addition', tool: { definition: TOOL } }],
      },
    ),
  ],
];

const KEYS = [
  ...['content', 'tools', 'tool', 'definition', 'input', 'input_schema', 'input_examples', 'name'],
  ...['source', 'data', 'url', 'file_id', 'citations', 'cited_text', 'signature', 'type'],
];
const TYPES = ['text', 'thinking', 'tool_use', 'compaction', 'redacted_thinking', 'base64'];

describe('toBlockLeaf', () => {
  it.each(TURNS)('classifies %s', (_name, body) => {
    expect(classifyLeaves(body, ({ path }) => toRequestLeaf(path, body))).toEqual(
      classifyLeaves(body, (leaf) => MARKS[markOf(leaf)]),
    );
  });

  it('accepts any block and any path', () => {
    fc.assert(
      fc.property(
        arbitraryBody(KEYS, TYPES),
        arbitraryPath(KEYS),
        fc.nat(10),
        (body, path, from) => {
          const kinds = classifyLeaves(body, (leaf) => toBlockLeaf(leaf.path, from, body));
          for (const kind of kinds)
            expect(kind).toMatch(/: (?:text|data|name|filename|fixed|signed|media)$/);
          expect(Object.values(MARKS)).toContain(toBlockLeaf(path, from, body));
        },
      ),
    );
  });
});
