import { readFileSync } from 'node:fs';
import { toJson } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { ConversationSchema } from '@witan/contracts';
import type { JsonObject } from '../json/json-value.ts';
import { decodeRequest } from './decode-request.ts';

const golden = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8'));

const MESSAGES = [{ role: 'user', content: 'hi' }];
const decode = (extra: JsonObject = {}) => {
  const { conversation, dropped } = decodeRequest({ model: 'm', messages: MESSAGES, ...extra });
  return { conversation: toJson(ConversationSchema, conversation), dropped };
};
const BARE = decode().conversation;

const MEMBERS: readonly (readonly [
  string,
  unknown,
  'elsewhere' | 'mapped' | 'refused' | 'dropped',
])[] = [
  ['messages', [{ role: 'user', content: 'other' }], 'mapped'],
  ['model', 'other', 'elsewhere'],
  ['audio', { voice: 'ash', format: 'wav' }, 'refused'],
  ['frequency_penalty', 0.5, 'mapped'],
  ['function_call', 'auto', 'refused'],
  ['functions', [{ name: 'f' }], 'refused'],
  ['logit_bias', { '50256': -100 }, 'dropped'],
  ['logprobs', true, 'refused'],
  ['max_completion_tokens', 10, 'mapped'],
  ['max_tokens', 10, 'mapped'],
  ['metadata', { a: 'b' }, 'dropped'],
  ['modalities', ['text', 'audio'], 'refused'],
  ['moderation', { model: 'omni' }, 'refused'],
  ['n', 2, 'refused'],
  ['parallel_tool_calls', false, 'mapped'],
  ['prediction', { type: 'content', content: 'x' }, 'dropped'],
  ['presence_penalty', 0.5, 'mapped'],
  ['prompt_cache_key', 'k', 'dropped'],
  ['prompt_cache_options', { mode: 'explicit' }, 'dropped'],
  ['prompt_cache_retention', '24h', 'dropped'],
  ['reasoning_effort', 'high', 'mapped'],
  ['response_format', { type: 'json_object' }, 'mapped'],
  ['safety_identifier', 's', 'dropped'],
  ['seed', 5, 'mapped'],
  ['service_tier', 'flex', 'dropped'],
  ['stop', ['END'], 'mapped'],
  ['store', true, 'dropped'],
  ['stream', true, 'mapped'],
  ['stream_options', { include_usage: true }, 'elsewhere'],
  ['temperature', 0, 'mapped'],
  ['tool_choice', 'required', 'mapped'],
  ['tools', [{ type: 'function', function: { name: 'f' } }], 'mapped'],
  ['top_logprobs', 3, 'refused'],
  ['top_p', 0.5, 'mapped'],
  ['user', 'u', 'mapped'],
  ['verbosity', 'low', 'dropped'],
  ['web_search_options', {}, 'refused'],
];

describe('decodeRequest', () => {
  it('decodes a tool loop as in the golden file', () => {
    const { conversation, dropped } = decodeRequest(
      golden('agent-loop.request.json') as JsonObject,
    );
    expect(toJson(ConversationSchema, conversation)).toEqual(
      golden('agent-loop.conversation.json'),
    );
    expect(dropped).toEqual(['messages[].name', 'messages[].reasoning_content', 'service_tier']);
  });

  it.each(MEMBERS.filter(([, , fate]) => fate === 'mapped'))('maps %s', (name, value) => {
    const { conversation, dropped } = decode({ [name]: value });
    expect(conversation).not.toEqual(BARE);
    expect(dropped).toEqual([]);
  });

  it.each(MEMBERS.filter(([, , fate]) => fate === 'dropped'))(
    'reports %s as dropped',
    (name, value) => {
      expect(decode({ [name]: value })).toEqual({ conversation: BARE, dropped: [name] });
    },
  );

  it.each(MEMBERS.filter(([, , fate]) => fate === 'refused'))('refuses %s', (name, value) => {
    expect(() => decode({ [name]: value })).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        fields: { param: name, code: 'unsupported_parameter' },
      }),
    );
  });

  it.each(MEMBERS.filter(([, , fate]) => fate === 'elsewhere'))(
    'ignores %s, which readRequest reads',
    (name, value) => {
      expect(decode({ [name]: value })).toEqual({ conversation: BARE, dropped: [] });
    },
  );

  it.each(MEMBERS.filter(([name]) => name !== 'messages'))('treats a null %s as absent', (name) => {
    expect(decode({ [name]: null })).toEqual({ conversation: BARE, dropped: [] });
  });

  it.each([
    ['n', 1],
    ['logprobs', false],
    ['top_logprobs', 0],
    ['modalities', ['text']],
    ['response_format', { type: 'text' }],
    ['tools', []],
    ['functions', []],
  ])('accepts %s with a value that requests nothing', (name, value) => {
    expect(decode({ [name]: value })).toEqual({ conversation: BARE, dropped: [] });
  });

  it('reports unknown members of the body and of stream_options, sorted', () => {
    const options = { include_obfuscation: false, include_usage: true };
    expect(decode({ zeta: 1, alpha: {}, stream_options: options }).dropped).toEqual([
      'alpha',
      'stream_options.include_obfuscation',
      'zeta',
    ]);
  });

  it.each([
    ['messages', undefined],
    ['messages', []],
    ['messages', 'hi'],
    ['stream', 'true'],
    ['stream_options', []],
    ['tools', {}],
  ])('refuses a body whose %s is %p', (name, value) => {
    expect(() => decode({ [name]: value })).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param: name } }),
    );
  });
});
