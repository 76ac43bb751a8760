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
import { chatCompletions } from './dialect.ts';
import { toRequestLeaf } from './request.ts';

const KEYS = [
  ...['choices', 'message', 'delta', 'content', 'tool_calls', 'function', 'arguments', 'custom'],
  ...['input', 'audio', 'transcript', 'annotations', 'reasoning', 'image_url', 'url', 'signature'],
  ...['error', 'index', 'finish_reason', 'type', 'file', 'file_id'],
];

const FORMS: Readonly<Record<string, unknown>> = { T: 'text', J: 'json', V: 'value' };

const CONTENT: readonly (readonly [string, JsonObject])[] = [
  ['words', { role: 'assistant', content: 'T:' }],
  ['a refusal', { content: null, refusal: 'T:' }],
  ['reasoning, which is unsigned', { reasoning_content: 'T:', reasoning: 'T:' }],
  [
    'reasoning that may be signed',
    { reasoning_details: [{ type: 'reasoning.text', text: 'a', signature: 's' }, { data: 'b' }] },
  ],
  [
    'parts',
    {
      content: [
        { type: 'text', text: 'T:' },
        { type: 'thinking', thinking: [{ type: 'text', text: 'T:' }], signature: 's' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    },
  ],
  [
    'sources',
    { annotations: [{ type: 'url_citation', url_citation: { title: 'T:', url: 'T:' } }] },
  ],
  ['an audio answer', { audio: { id: 'audio_1', data: 'AAAA', transcript: 'T:' } }],
  ['a legacy function call', { function_call: { name: 'find_client', arguments: 'J:{}' } }],
  [
    'calls',
    {
      tool_calls: [
        { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: 'J:{}' } },
        { index: 1, id: 'b', type: 'custom', custom: { name: 'g', input: 'T:' } },
        {
          id: 'c',
          function: { name: 'h', arguments: { name: 'V:', list: ['V:'] } },
          extra_content: { google: { thought_signature: 's' } },
        },
        { 'function.arguments': 'a', function: { 'arguments.x': 'b' } },
      ],
    },
  ],
  ['unknown content', { novelty: 'a', images: [{ image_url: { url: 'b' } }] }],
];

const envelope = (choice: object): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-5',
  system_fingerprint: 'fp',
  service_tier: 'default',
  choices: [{ index: 0, finish_reason: 'stop', ...choice }],
});

const OTHERS: readonly (readonly [string, JsonObject])[] = [
  ['an error', { error: { message: 'T:', type: 'a', param: 'b', code: 'c' } }],
  ['an error that is a string', { error: 'T:' }],
  [
    'tokens and their probabilities',
    envelope({ logprobs: { content: [{ token: 'a', top_logprobs: [{ token: 'b' }] }] } }),
  ],
  ['no choices', { choices: 'a', object: 'b' }],
];

const formOf = (leaf: { form: string } | undefined): unknown => leaf?.form;

describe('findAnswerLeaf of chat completions', () => {
  it.each([
    ...CONTENT.map(([name, message]) => [name, envelope({ message })] as const),
    ['content of a delta instead of a message', envelope({ delta: { content: 'a' } })] as const,
    ...OTHERS,
  ])('classifies %s', (_name, body) => {
    expect(classifyLeaves(body, ({ path }) => formOf(findAnswerLeaf(path)))).toEqual(
      classifyLeaves(body, (leaf) => FORMS[markOf(leaf)]),
    );
    for (const { path } of stringLeaves(body)) {
      expect(findAnswerLeaf(path)?.slot).toBeUndefined();
    }
  });

  it('finds only leaves that are masked when the message is sent back', () => {
    fc.assert(
      fc.property(arbitraryBody(KEYS, ['text', 'assistant', 'function']), (message) => {
        const answer = { choices: [{ message }] };
        const request = { messages: [{ ...message, role: 'assistant' }] };
        for (const { path } of stringLeaves(answer)) {
          if (!findAnswerLeaf(path)) continue;
          expect(toRequestLeaf(['messages', 0, ...path.slice(3)], request)).toBe('text');
        }
      }),
    );
  });
});

describe('findFrameLeaf of chat completions', () => {
  it.each([
    ...CONTENT.map(([name, delta]) => [name, envelope({ delta })] as const),
    ['content of a message instead of a delta', envelope({ message: { content: 'a' } })] as const,
    ...OTHERS,
  ])('classifies %s', (_name, chunk) => {
    expect(classifyLeaves(chunk, ({ path }) => formOf(findFrameLeaf(path, chunk)))).toEqual(
      classifyLeaves(chunk, (leaf) => FORMS[markOf(leaf)]),
    );
  });

  const choice = (index: unknown, delta: object) => ({
    choices: [{ delta: {} }, { index, delta }],
  });

  it.each([
    ['of a choice with an index', choice(7, { content: 'T:' }), { index: 7, field: 'content' }],
    [
      'of a choice without an index',
      choice(undefined, { content: 'T:' }),
      { index: 1, field: 'content' },
    ],
    ['of a refusal', choice(0, { refusal: 'T:' }), { index: 0, field: 'refusal' }],
    [
      'of reasoning',
      choice(0, { reasoning_content: 'T:' }),
      { index: 0, field: 'reasoning_content' },
    ],
    [
      'of an audio answer',
      choice(0, { audio: { transcript: 'T:' } }),
      { index: 0, field: 'audio' },
    ],
    [
      'of a legacy function call',
      choice(0, { function_call: { arguments: 'J:' } }),
      { index: 0, field: 'function_call' },
    ],
    [
      'of a call with an index',
      choice(0, { tool_calls: [{ index: 4, function: { arguments: 'J:' } }] }),
      { index: 0, field: 'function', call: 4 },
    ],
    [
      'of a call without an index',
      choice(3, { tool_calls: [{}, { custom: { input: 'T:' } }] }),
      { index: 3, field: 'custom', call: 1 },
    ],
    [
      'none for a part in a list',
      choice(0, { content: [{ type: 'text', text: 'T:' }] }),
      undefined,
    ],
    ['none for a source', choice(0, { annotations: [{ url_citation: { url: 'T:' } }] }), undefined],
    [
      'none for a nested value',
      choice(0, { tool_calls: [{ function: { arguments: { a: 'V:' } } }] }),
      undefined,
    ],
    ['none for an error', { error: { message: 'T:' } }, undefined],
  ])('finds the slot: %s', (_name, chunk: JsonObject, slot) => {
    const marked = stringLeaves(chunk).filter((leaf) => markOf(leaf) in FORMS);
    expect(marked.map(({ path }) => findFrameLeaf(path, chunk)?.slot)).toEqual([slot]);
  });
});

describe('endsSlot of chat completions', () => {
  const slot = { index: 1, field: 'content' };

  it.each([
    ['the finish reason of its choice', { choices: [{ index: 1, finish_reason: 'stop' }] }, true],
    [
      'the finish reason of a choice without an index',
      { choices: [{}, { finish_reason: 'length' }] },
      true,
    ],
    ['an error', { error: { message: 'a' } }, true],
    [
      'the finish reason of another choice',
      { choices: [{ index: 0, finish_reason: 'stop' }] },
      false,
    ],
    ['no finish reason yet', { choices: [{ index: 1, finish_reason: null, delta: {} }] }, false],
    ['usage', { choices: [], usage: { total_tokens: 1 }, error: null }, false],
    ['unknown content', { choices: [null, 5, 'a'] }, false],
  ])('detects the end of a slot in %s', (_name, chunk: JsonObject, isEnd) => {
    expect(endsSlot(chunk, slot)).toBe(isEnd);
  });
});

const SLOTS: readonly Slot[] = [
  { index: 0, field: 'content' },
  { index: 2, field: 'refusal' },
  { index: 0, field: 'reasoning_content' },
  { index: 1, field: 'reasoning' },
  { index: 0, field: 'audio' },
  { index: 1, field: 'function_call' },
  { index: 0, field: 'function', call: 0 },
  { index: 3, field: 'function', call: 2 },
  { index: 0, field: 'custom', call: 1 },
];

const readBack = (text: string): JsonObject => {
  expect(text).toMatch(/^data: .*\n\n$/);
  const frame = chatCompletions.readFrame(text.slice('data: '.length).trimEnd());
  expect(frame.kind).toBe('content');
  return frame.value!;
};

describe('encodeSlot of chat completions', () => {
  it('encodes a chunk that only adds text to the slot', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SLOTS), fc.string({ minLength: 1 }), (slot, words) => {
        const chunk = readBack(encodeSlot(undefined, slot, words));
        const found = stringLeaves(chunk).flatMap(({ path, value }) => {
          const leaf = findFrameLeaf(path, chunk);
          return leaf ? [{ slot: leaf.slot, value }] : [];
        });
        expect(found).toEqual([{ slot, value: words }]);
        expect(SLOTS.some((otherSlot) => endsSlot(chunk, otherSlot))).toBe(false);
      }),
    );
  });

  it('copies the envelope of the given chunk', () => {
    const givenChunk = {
      id: 'a',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'b',
      usage: null,
    };
    const encoded = readBack(encodeSlot(givenChunk, { index: 0, field: 'content' }, 'words'));
    expect(encoded).toEqual({
      id: 'a',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'b',
      choices: [{ index: 0, delta: { content: 'words' }, finish_reason: null }],
    });
  });

  it('adds to the content that the certificate commits to, in the same choice and call', () => {
    const answer = chatCompletions.createAnswer();
    const call = (index: number, id: string, output: string) => ({
      index,
      id,
      function: { name: 'f', arguments: output },
    });
    answer.chunk({ choices: [{ index: 0, delta: { content: 'a' } }] });
    answer.chunk({ choices: [{ index: 1, delta: { content: 'b' } }] });
    answer.chunk({
      choices: [{ index: 1, delta: { tool_calls: [call(0, 'x', '{'), call(1, 'y', '[')] } }],
    });
    const slots: readonly (readonly [Slot, string])[] = [
      [{ index: 0, field: 'content' }, ' one'],
      [{ index: 1, field: 'refusal' }, ' two'],
      [{ index: 1, field: 'function', call: 0 }, '}'],
      [{ index: 1, field: 'function', call: 1 }, ']'],
    ];
    for (const [slot, words] of slots) answer.chunk(readBack(encodeSlot({}, slot, words)));
    expect(answer.choices()).toEqual([
      { index: 0, content: 'a one', toolCalls: [] },
      {
        index: 1,
        content: 'b two',
        toolCalls: [
          { id: 'x', name: 'f', arguments: '{}' },
          { id: 'y', name: 'f', arguments: '[]' },
        ],
      },
    ]);
  });
});

describe('findAnswerLeaf and findFrameLeaf of chat completions', () => {
  it('accept any body and any path', () => {
    fc.assert(
      fc.property(arbitraryBody(KEYS, ['stop', 'text']), arbitraryPath(KEYS), (body, path) => {
        const paths = [path, ['choices', 0, ...path], ['choices', 0, 'delta', ...path]];
        for (const candidate of [...paths, ...stringLeaves(body).map((leaf) => leaf.path)]) {
          for (const leaf of [findAnswerLeaf(candidate), findFrameLeaf(candidate, body)]) {
            expect([undefined, 'text', 'json', 'value']).toContain(leaf?.form);
          }
        }
        expect(typeof endsSlot(body, { index: 0, field: 'content' })).toBe('boolean');
      }),
    );
  });
});
