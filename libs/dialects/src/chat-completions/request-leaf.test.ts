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

const PARAMETERS = {
  type: 'object',
  properties: { name: { type: 'string', description: 'T:of a client', enum: ['a'] } },
  required: ['name'],
};
const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } };

/**
 * Request bodies. A prefix such as `T:` names the kind that the string must be classified as;
 * strings without a prefix must be `fixed`.
 */
const BODIES: readonly (readonly [string, JsonObject])[] = [
  [
    'API enums',
    {
      model: 'gpt-5',
      service_tier: 'auto',
      reasoning_effort: 'low',
      reasoning: { effort: 'low', summary: 'auto' },
      verbosity: 'low',
      modalities: ['text', 'audio'],
      audio: { format: 'wav', voice: { id: 'voice_1' } },
      moderation: { model: 'omni', policy: { input: { mode: 'score' } } },
      prompt_cache_options: { mode: 'explicit', ttl: '30m' },
      prompt_cache_retention: '24h',
      tool_choice: { type: 'function', function: { name: 'find_client' } },
      function_call: { name: 'find_client' },
    },
  ],
  [
    'user ids that clients choose',
    {
      metadata: { type: 'D:', id: 'D:' },
      user: 'T:alice@example.com',
      safety_identifier: 'T:',
      prompt_cache_key: 'T:',
    },
  ],
  ['stop sequences', { stop: ['T:', 'T:'] }],
  ['one stop sequence', { stop: 'T:' }],
  ['unknown members', { guidance: 'T:', extra: { note: 'T:', type: 'T:' } }],
  [
    'location of the user',
    {
      web_search_options: {
        search_context_size: 'low',
        user_location: {
          type: 'approximate',
          approximate: { city: 'T:', region: 'T:', country: 'CH', timezone: 'Europe/Zurich' },
        },
      },
    },
  ],
  [
    'a prediction',
    { prediction: { type: 'content', content: [{ type: 'text', text: 'T:', ...BREAKPOINT }] } },
  ],
  ['a prediction as a string', { prediction: { type: 'content', content: 'T:' } }],
  [
    'a response format',
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'client', description: 'T:', schema: PARAMETERS, novelty: 'T:' },
      },
    },
  ],
  [
    "a schema as a sibling of the format's type",
    { response_format: { type: 'json_object', schema: PARAMETERS } },
  ],
  ['a grammar', { response_format: { type: 'grammar', grammar: 'root ::= "a"' } }],
  ['a pattern of the answer', { response_format: { type: 'regex', value: '(John Smith)' } }],
  [
    'routing of OpenRouter and others',
    {
      provider: { order: ['Novita', 'Grace'], only: ['Novita'], sort: 'price' },
      models: ['grace/victor'],
      route: 'fallback',
      transforms: ['middle-out'],
      fallbacks: [{ model: 'grace' }],
      providerOptions: { gateway: { order: ['Novita'] } },
    },
  ],
  [
    'answer constraints of vLLM and others',
    {
      guided_regex: '(John Smith|Mary Jones)',
      guided_grammar: 'root ::= "John Smith"',
      guided_choice: ['John Smith', 'Mary Jones'],
      guided_json: PARAMETERS,
      grammar: 'root ::= "John Smith"',
      regex: 'John Smith',
      ebnf: 'root ::= "John Smith"',
      json_schema: '{"enum":["John Smith"]}',
      structured_outputs: { json: PARAMETERS, regex: 'John', choice: ['John'], grammar: 'a' },
    },
  ],
  [
    'tools',
    {
      tools: [
        {
          type: 'function',
          cache_control: { type: 'ephemeral' },
          function: {
            name: 'find_client',
            description: 'T:',
            parameters: PARAMETERS,
            novelty: 'T:',
          },
        },
        {
          type: 'custom',
          custom: {
            name: 'run',
            description: 'T:',
            format: { type: 'grammar', grammar: { definition: 'start: "a"', syntax: 'lark' } },
          },
        },
        { type: 'function', name: 'flat', description: 'T:', parameters: PARAMETERS },
        { type: 'novelty', question: 'T:' },
      ],
      functions: [{ name: 'find_client', description: 'T:', parameters: PARAMETERS }],
    },
  ],
  [
    'instructions and participants',
    {
      messages: [
        { role: 'system', content: 'T:', name: 'N:' },
        { role: 'developer', content: [{ type: 'text', text: 'T:', ...BREAKPOINT }], name: 'N:' },
        { role: 'user', content: 'T:', name: 'N:', detail: 'T:', cache_control: { type: 'x' } },
        { role: 'tool', tool_call_id: 'call_1', name: 'find_client', content: 'T:{"id":"x"}' },
        { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'T:' }] },
        { role: 'function', name: 'find_client', content: 'T:' },
      ],
    },
  ],
  [
    'images, audio and files',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'M:', detail: 'high' }, ...BREAKPOINT },
            { type: 'image_url', image_url: 'M:' },
            { type: 'video_url', video_url: { url: 'M:' } },
            { type: 'input_audio', input_audio: { data: 'M:', format: 'wav' }, ...BREAKPOINT },
            { type: 'file', file: { file_data: 'M:', filename: 'E:' }, ...BREAKPOINT },
            { type: 'file', file: { file_id: 'M:', novelty: 'T:' } },
            { type: 'novelty', novelty: [{ type: 'a', words: 'T:' }] },
          ],
        },
      ],
    },
  ],
  [
    'an answer that is sent back',
    {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'T:' },
            { type: 'refusal', refusal: 'T:' },
            { type: 'thinking', thinking: [{ type: 'text', text: 'T:' }], signature: 'S:' },
          ],
          refusal: 'T:',
          name: 'N:',
          audio: { id: 'M:', data: 'M:', transcript: 'T:' },
          annotations: [{ type: 'url_citation', url_citation: { title: 'T:', url: 'T:' } }],
          reasoning_content: 'T:',
          reasoning: 'T:',
          parsed: { name: 'T:', id: 'T:' },
          function_call: { name: 'find_client', arguments: 'T:' },
        },
      ],
    },
  ],
  [
    'calls, and arguments with any keys',
    {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'find_client', arguments: 'T:{"name":"Alice"}' },
              extra_content: { google: { thought_signature: 'S:', note: 'T:' } },
            },
            { id: 'call_2', type: 'custom', custom: { name: 'run', input: 'T:' } },
            {
              id: 'call_3',
              type: 'function',
              function: { name: 'a', arguments: { name: 'D:', type: 'D:', signature: 'D:' } },
            },
          ],
        },
      ],
    },
  ],
  [
    'signed and unsigned reasoning',
    {
      messages: [
        {
          role: 'assistant',
          extra_content: { google: { thought_signature: 'S:' } },
          reasoning_details: [
            { type: 'S:', text: 'S:', signature: 'S:', id: 'S:', format: 'S:' },
            { type: 'reasoning.text', text: 'T:', signature: null, format: 'b' },
            { type: 'reasoning.summary', summary: 'T:' },
            { type: 'reasoning.encrypted', data: 'S:' },
          ],
          thinking_blocks: [{ type: 'S:', thinking: 'S:', signature: 'S:' }],
        },
      ],
    },
  ],
  ['invalid messages', { messages: ['T:', { role: 'user', content: { text: 'T:' } }, 5] }],
  ['invalid tools', { tools: ['T:', { function: 'T:' }], functions: 'T:' }],
];

const KEYS = [
  ...['messages', 'content', 'tools', 'function', 'parameters', 'image_url', 'file', 'tool_calls'],
  ...['reasoning_details', 'signature', 'response_format', 'schema', 'name', 'type', 'role'],
];

describe('toRequestLeaf of chat completions', () => {
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
    const bodies = arbitraryBody(KEYS, ['function', 'tool', 'text', 'thinking']);
    fc.assert(
      fc.property(bodies, arbitraryPath(KEYS), (body, path) => {
        const kinds = classifyLeaves(body, (leaf) => toRequestLeaf(leaf.path, body));
        for (const kind of kinds)
          expect(kind).toMatch(/: (?:text|data|name|filename|fixed|signed|media)$/);
        expect(Object.values(MARKS)).toContain(toRequestLeaf(path, body));
      }),
    );
  });
});
