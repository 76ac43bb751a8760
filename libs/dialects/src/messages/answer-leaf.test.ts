import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Slot } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import {
  arbitraryBody,
  arbitraryPath,
  markOf,
  classifyLeaves,
  stringLeaves,
} from '../../test/string-leaves.ts';
import { encodeSlot, endsSlot, findAnswerLeaf, findFrameLeaf } from './response.ts';
import { messages } from './dialect.ts';
import { toRequestLeaf } from './request.ts';

const KEYS = [
  ...['content', 'content_block', 'delta', 'message', 'text', 'partial_json', 'citation', 'input'],
  ...['citations', 'cited_text', 'source', 'data', 'file_id', 'tools', 'name', 'signature', 'type'],
  ...['thinking', 'error', 'index', 'stop_sequence'],
];
const TYPES = ['text', 'thinking', 'tool_use', 'compaction', 'redacted_thinking', 'error'];

const FORMS: Readonly<Record<string, unknown>> = { T: 'text', J: 'json', V: 'value' };

/**
 * Content blocks. The prefix of a string is its expected form: `T:` text, `J:` JSON text, `V:`
 * string in a JSON value.
 */
const BLOCKS: readonly (readonly [string, JsonObject])[] = [
  ['words', { type: 'text', text: 'T:' }],
  [
    'citations',
    {
      type: 'text',
      text: 'T:',
      citations: [
        { type: 'char_location', cited_text: 'T:', document_title: 'T:', file_id: 'file_1' },
        { type: 'web', cited_text: 'T:', title: 'T:', url: 'T:', encrypted_index: 's' },
        { type: 'search_result_location', cited_text: 'T:', source: 'T:' },
      ],
    },
  ],
  ['thinking', { type: 'thinking', thinking: 'sealed', signature: 's' }],
  ['encrypted thinking', { type: 'redacted_thinking', data: 'sealed' }],
  [
    'a call',
    {
      type: 'tool_use',
      id: 'a',
      name: 'find_client',
      caller: { type: 'direct' },
      input: { name: 'V:', id: 'V:', list: [{ type: 'V:' }] },
    },
  ],
  ['a call to a server', { type: 'mcp_tool_use', id: 'a', server_name: 'b', input: { q: 'V:' } }],
  ['a search', { type: 'server_tool_use', id: 'a', name: 'web_search', input: { query: 'V:' } }],
  [
    'search results',
    {
      type: 'web_search_tool_result',
      tool_use_id: 'a',
      content: [{ type: 'web_search_result', title: 'T:', url: 'T:', encrypted_content: 's' }],
    },
  ],
  [
    'fetched content',
    {
      type: 'web_fetch_tool_result',
      tool_use_id: 'a',
      content: {
        type: 'web_fetch_result',
        url: 'T:',
        retrieved_at: '2026-08-01T00:00:00Z',
        content: { type: 'document', title: 'T:', source: { type: 'text', data: 'T:' } },
      },
    },
  ],
  [
    'a fetched document that is not text',
    {
      type: 'web_fetch_tool_result',
      content: { content: { source: { type: 'base64', media_type: 'a/b', data: 'AAAA' } } },
    },
  ],
  [
    'output of code',
    {
      type: 'bash_code_execution_tool_result',
      tool_use_id: 'a',
      content: {
        type: 'bash_code_execution_result',
        stdout: 'T:',
        stderr: 'T:',
        content: [{ type: 'bash_code_execution_output', file_id: 'file_1' }],
      },
    },
  ],
  [
    'encrypted output of code',
    { type: 'code_execution_tool_result', content: { encrypted_stdout: 's', stderr: 'T:' } },
  ],
  [
    'a response of an MCP server',
    { type: 'mcp_tool_result', content: [{ type: 'text', text: 'T:' }] },
  ],
  [
    'advice',
    { type: 'advisor_tool_result', content: { type: 'a', text: 'T:', stop_reason: 'end_turn' } },
  ],
  ['a refusal of a tool', { type: 'a', content: { error_code: 'b', error_message: 'T:' } }],
  ['a signed summary', { type: 'compaction', content: 'sealed', signature: 's' }],
  ['an unsigned summary', { type: 'compaction', content: 'T:', encrypted_content: 's' }],
  ['an upload', { type: 'container_upload', file_id: 'file_1' }],
  ['another model', { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } }],
];

const message = (content: unknown): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus',
  stop_reason: 'end_turn',
  container: { id: 'container_1', expires_at: 'a' },
  usage: { service_tier: 'standard' },
  content,
});

const ERROR = { type: 'error', error: { type: 'a', message: 'T:' }, request_id: 'req_1' };
const ENDING = {
  stop_sequence: 'T:',
  stop_details: { type: 'refusal', explanation: 'T:', fallback_credit_token: 'a' },
};

const formOf = (leaf: { form: string } | undefined): unknown => leaf?.form;

describe('findAnswerLeaf of messages', () => {
  it.each([
    ...BLOCKS.map(([name, block]) => [name, message([{ type: 'text' }, block])] as const),
    ['content as a string', message('T:')] as const,
    ['the end of the answer', { ...message([]), ...ENDING }] as const,
    ['an error', ERROR] as const,
    ['an error without a type', { error: { message: 'T:' } }] as const,
  ])('classifies %s', (_name, body) => {
    expect(classifyLeaves(body, ({ path }) => formOf(findAnswerLeaf(path, body)))).toEqual(
      classifyLeaves(body, (leaf) => FORMS[markOf(leaf)]),
    );
    for (const { path } of stringLeaves(body)) {
      expect(findAnswerLeaf(path, body)?.slot).toBeUndefined();
    }
  });

  it('finds what is masked when the message is sent back', () => {
    fc.assert(
      fc.property(fc.array(arbitraryBody(KEYS, TYPES), { maxLength: 3 }), (content) => {
        const body = { content };
        const request = { messages: [{ role: 'assistant', content }] };
        for (const { path } of stringLeaves(body)) {
          const sentBack = toRequestLeaf(['messages', 0, ...path], request);
          expect(findAnswerLeaf(path, body) !== undefined).toBe(
            sentBack === 'text' || sentBack === 'data',
          );
        }
      }),
    );
  });
});

const delta = (value: object): JsonObject => ({
  type: 'content_block_delta',
  index: 2,
  delta: value,
});

describe('findFrameLeaf of messages', () => {
  it.each([
    ...BLOCKS.map(
      ([name, block]) =>
        [name, { type: 'content_block_start', index: 0, content_block: block }] as const,
    ),
    ...BLOCKS.map(
      ([name, block]) =>
        [`${name} at the start`, { type: 'message_start', message: message([block]) }] as const,
    ),
    ['text', delta({ type: 'text_delta', text: 'T:' })] as const,
    ['arguments', delta({ type: 'input_json_delta', partial_json: 'J:' })] as const,
    ['thinking', delta({ type: 'thinking_delta', thinking: 'sealed' })] as const,
    ['a signature', delta({ type: 'signature_delta', signature: 's' })] as const,
    [
      'a citation',
      delta({
        type: 'citations_delta',
        citation: { type: 'a', cited_text: 'T:', title: 'T:', url: 'T:', encrypted_index: 's' },
      }),
    ] as const,
    [
      'a summary that may be signed',
      delta({ type: 'compaction_delta', content: 'sealed', encrypted_content: 's' }),
    ] as const,
    [
      'the end of the answer',
      { type: 'message_delta', delta: { stop_reason: 'stop_sequence', ...ENDING }, usage: {} },
    ] as const,
    ['an error', ERROR] as const,
    ['unknown content', { type: 'novelty', novelty: { text: 'a' } }] as const,
  ])('classifies %s', (_name, event: JsonObject) => {
    expect(classifyLeaves(event, ({ path }) => formOf(findFrameLeaf(path, event)))).toEqual(
      classifyLeaves(event, (leaf) => FORMS[markOf(leaf)]),
    );
  });

  it.each([
    ['of text', delta({ type: 'text_delta', text: 'T:' }), { index: 2, field: 'text' }],
    [
      'of arguments',
      delta({ type: 'input_json_delta', partial_json: 'J:' }),
      { index: 2, field: 'partial_json' },
    ],
    [
      'of a block that starts with text',
      { type: 'content_block_start', index: 4, content_block: { type: 'text', text: 'T:' } },
      { index: 4, field: 'text' },
    ],
    [
      'of a block without an index',
      { type: 'content_block_delta', delta: { text: 'T:' } },
      { index: 0, field: 'text' },
    ],
    ['none for a citation', delta({ citation: { cited_text: 'T:' } }), undefined],
    [
      'none for the end of the answer',
      { type: 'message_delta', delta: { stop_sequence: 'T:' } },
      undefined,
    ],
    [
      'none for a complete result',
      { type: 'content_block_start', content_block: { content: [{ text: 'T:' }] } },
      undefined,
    ],
    ['none for an error', ERROR, undefined],
  ])('finds the slot: %s', (_name, event: JsonObject, slot) => {
    const marked = stringLeaves(event).filter((leaf) => markOf(leaf) in FORMS);
    expect(marked.map(({ path }) => findFrameLeaf(path, event)?.slot)).toEqual([slot]);
  });
});

describe('endsSlot of messages', () => {
  it.each([
    ['the end of its block', { type: 'content_block_stop', index: 1 }, true],
    ['the stop reason of the message', { type: 'message_delta', delta: {} }, true],
    ['the end', { type: 'message_stop' }, true],
    ['an error', ERROR, true],
    ['an error without a type', { error: { message: 'a' } }, true],
    ['the end of another block', { type: 'content_block_stop', index: 0 }, false],
    ['the end of a block without an index', { type: 'content_block_stop' }, false],
    ['more text', delta({ type: 'text_delta', text: 'a' }), false],
    ['the start of a block', { type: 'content_block_start', index: 2 }, false],
    ['a ping', { type: 'ping' }, false],
    ['an object without a type', { error: null }, false],
  ])('reads %s', (_name, event: JsonObject, isEnd) => {
    expect(endsSlot(event, { index: 1, field: 'text' })).toBe(isEnd);
  });
});

const readBack = (text: string): JsonObject => {
  expect(text).toMatch(/^event: content_block_delta\ndata: .*\n\n$/);
  const frame = messages.readFrame(text.slice(text.indexOf('data: ') + 'data: '.length).trimEnd());
  expect(frame.kind).toBe('content');
  return frame.value!;
};

describe('encodeSlot of messages', () => {
  it('encodes an event that only adds text to the slot', () => {
    const slots = fc.record({
      index: fc.nat(9),
      field: fc.constantFrom('text', 'partial_json'),
    });
    fc.assert(
      fc.property(slots, fc.string({ minLength: 1 }), (slot, words) => {
        const event = readBack(encodeSlot(undefined, slot, words));
        const found = stringLeaves(event).flatMap(({ path, value }) => {
          const leaf = findFrameLeaf(path, event);
          return leaf ? [{ slot: leaf.slot, value }] : [];
        });
        expect(found).toEqual([{ slot, value: words }]);
        expect(endsSlot(event, slot)).toBe(false);
      }),
    );
  });

  it('adds to the content that the certificate commits to, in the same block', () => {
    const answer = messages.createAnswer();
    const startBlock = (index: number, block: object) =>
      answer.chunk({ type: 'content_block_start', index, content_block: block });
    answer.chunk({ type: 'message_start', message: message([]) });
    startBlock(0, { type: 'text', text: 'a' });
    startBlock(1, { type: 'tool_use', id: 'x', name: 'f', input: {} });
    startBlock(2, { type: 'tool_use', id: 'y', name: 'g', input: {} });
    const slots: readonly (readonly [Slot, string])[] = [
      [{ index: 0, field: 'text' }, ' one'],
      [{ index: 1, field: 'partial_json' }, '{"b":'],
      [{ index: 2, field: 'partial_json' }, '{}'],
      [{ index: 1, field: 'partial_json' }, '1}'],
    ];
    for (const [slot, words] of slots) answer.chunk(readBack(encodeSlot({}, slot, words)));
    expect(answer.choices()).toEqual([
      {
        index: 0,
        content: 'a one',
        toolCalls: [
          { id: 'x', name: 'f', arguments: '{"b":1}' },
          { id: 'y', name: 'g', arguments: '{}' },
        ],
      },
    ]);
  });
});

describe('findAnswerLeaf and findFrameLeaf of messages', () => {
  it('accept any body and any path', () => {
    fc.assert(
      fc.property(arbitraryBody(KEYS, TYPES), arbitraryPath(KEYS), (body, path) => {
        for (const candidate of [path, ...stringLeaves(body).map((leaf) => leaf.path)]) {
          for (const leaf of [findAnswerLeaf(candidate, body), findFrameLeaf(candidate, body)]) {
            expect([undefined, 'text', 'json', 'value']).toContain(leaf?.form);
          }
        }
        expect(typeof endsSlot(body, { index: 0, field: 'text' })).toBe('boolean');
      }),
    );
  });
});
