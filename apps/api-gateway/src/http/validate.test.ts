import { describe, expect, it } from '@jest/globals';
import { ValidationError } from '../errors/validation-error.ts';
import { CHAT_REQUEST } from '../routes/chat-schema.ts';
import { compileBody, compileParameters } from './validate.ts';
import type { Validate } from './validate.ts';

const faultsOf = (check: Validate, value: unknown): Record<string, string> => {
  try {
    check(value);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return Object.fromEntries(error.faults.map(({ path, message }) => [path, message]));
  }
  return {};
};

const checkChat = compileBody(CHAT_REQUEST);
const message = { role: 'user', content: 'hi' };

describe('the check of a chat body', () => {
  it.each([
    ['no model', { messages: [message] }, { model: 'is required' }],
    ['no messages', { model: 'm' }, { messages: 'is required' }],
    ['an empty model', { model: '', messages: [message] }, { model: expect.any(String) }],
    ['no message at all', { model: 'm', messages: [] }, { messages: expect.any(String) }],
    [
      'a message without role',
      { model: 'm', messages: [message, { content: 'x' }] },
      { 'messages[1].role': 'is required' },
    ],
    [
      'an unknown role',
      { model: 'm', messages: [{ role: 'narrator', content: 'x' }] },
      { 'messages[0].role': expect.stringContaining('must be one of system') },
    ],
    [
      'content that is a number',
      { model: 'm', messages: [{ role: 'user', content: 5 }] },
      { 'messages[0].content': expect.any(String) },
    ],
    [
      'a limit of nothing',
      { model: 'm', messages: [message], max_tokens: 0 },
      { max_tokens: expect.any(String) },
    ],
    [
      'a limit with a fraction',
      { model: 'm', messages: [message], max_completion_tokens: 1.5 },
      { max_completion_tokens: expect.any(String) },
    ],
    [
      'a stream that is a text',
      { model: 'm', messages: [message], stream: 'yes' },
      { stream: expect.any(String) },
    ],
  ])('finds %s where it is', (_name, body, faults) => {
    expect(faultsOf(checkChat, body)).toEqual(faults);
  });

  it('lists every fault, not only the first', () => {
    const body = { messages: [{ content: 1 }, { role: 'x' }], stream: 1, max_tokens: -1 };
    expect(Object.keys(faultsOf(checkChat, body)).toSorted()).toEqual([
      'max_tokens',
      'messages[0].content',
      'messages[0].role',
      'messages[1].role',
      'model',
      'stream',
    ]);
  });

  it('lists at most fifty', () => {
    const messages = Array.from({ length: 200 }, () => ({}));
    expect(Object.keys(faultsOf(checkChat, { model: 'm', messages }))).toHaveLength(50);
  });

  it('lets unknown fields and nulls pass, for the provider to judge', () => {
    const body = {
      model: 'm',
      messages: [{ ...message, cache_control: { type: 'ephemeral' } }],
      stream: null,
      max_tokens: null,
      tools: null,
      reasoning_effort: 'high',
    };
    expect(faultsOf(checkChat, body)).toEqual({});
  });
});

describe('the check of parameters', () => {
  const check = compileParameters({
    limit: { type: 'integer', minimum: 1, maximum: 500 },
    format: { enum: ['ndjson', 'json'] },
  });

  it('turns text into the types of the schema', () => {
    const query: Record<string, unknown> = { limit: '20' };
    check(query);
    expect(query).toEqual({ limit: 20 });
  });

  it.each([
    ['below its bound', { limit: '0' }, 'limit'],
    ['above its bound', { limit: '501' }, 'limit'],
    ['with a fraction', { limit: '1.5' }, 'limit'],
    ['that is a word', { limit: 'many' }, 'limit'],
    ['outside of its list', { format: 'xml' }, 'format'],
    ['that nobody knows', { page: '2' }, 'page'],
  ])('refuses one %s, by name', (_name, query, path) => {
    expect(Object.keys(faultsOf(check, query))).toEqual([path]);
  });

  it('names the first fault in the message and as the parameter', () => {
    const refused = (): void => check({ page: '2', limit: '0' });
    expect(refused).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param: 'page' } }),
    );
    expect(refused).toThrow('(and 1 more)');
  });

  it('writes pointers with slashes and tildes as their names', () => {
    const body = compileBody({ type: 'object', properties: { 'a/b~c': { type: 'string' } } });
    expect(faultsOf(body, { 'a/b~c': 1 })).toEqual({ 'a/b~c': expect.any(String) });
  });
});
