import { describe, expect, it } from '@jest/globals';
import { ValidationError } from '../errors/validation-error.ts';
import { CHAT_REQUEST } from '../routes/chat-schema.ts';
import { compileBody, compileNativeBody, compileParameters } from './validate.ts';
import type { Validate } from './validate.ts';

const invalidFieldsOf = (check: Validate, value: unknown): Record<string, string> => {
  try {
    check(value);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return Object.fromEntries(error.invalidFields.map(({ path, message }) => [path, message]));
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
  ])('finds %s where it is', (_name, body, invalidFields) => {
    expect(invalidFieldsOf(checkChat, body)).toEqual(invalidFields);
  });

  it('names one error of many: a large body may have millions', () => {
    const messages = Array.from({ length: 200 }, () => ({}));
    expect(Object.keys(invalidFieldsOf(checkChat, { model: 'm', messages }))).toEqual([
      'messages[0].role',
    ]);
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
    expect(invalidFieldsOf(checkChat, body)).toEqual({});
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
    expect(Object.keys(invalidFieldsOf(check, query))).toEqual([path]);
  });

  it('names the first error in the message and as the parameter', () => {
    const refused = (): void => check({ page: '2', limit: '0' });
    expect(refused).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param: 'page' } }),
    );
    expect(refused).toThrow('(and 1 more)');
  });

  it('writes pointers with slashes and tildes as their names', () => {
    const body = compileBody({ type: 'object', properties: { 'a/b~c': { type: 'string' } } });
    expect(invalidFieldsOf(body, { 'a/b~c': 1 })).toEqual({ 'a/b~c': expect.any(String) });
  });
});

/** When spread into another object, such a member stays a member. */
const PROTO = Object.fromEntries([['__proto__', 1]]);

describe('the check of a native body', () => {
  const name = { type: 'string' };
  const check = compileNativeBody({
    type: 'object',
    required: ['name'],
    properties: {
      id: { readOnly: true },
      name,
      owner: { type: 'object', properties: { name } },
      tags: { type: 'array', items: { type: 'object', properties: { name } } },
      byName: { type: 'object', additionalProperties: { type: 'object', properties: { name } } },
      anything: { type: 'object' },
      choice: { anyOf: [{ type: 'object', properties: { name } }, { type: 'string' }] },
    },
  });
  const lenient = { isStrict: false };

  it.each<[string, object, string[]]>([
    ['nothing unknown', {}, []],
    ['a field that can only be read', { id: 7 }, []],
    ['an unknown field', { x: 1 }, ['x']],
    ['unknown fields inside', { owner: { x: 1 }, tags: [{}, { y: 1 }] }, ['owner.x', 'tags[1].y']],
    ['an unknown field of an entry', { byName: { a: { name: 'a', x: 1 } } }, ['byName.a.x']],
    ['a name that objects have', PROTO, ['__proto__']],
    ['what an object holds that lists nothing', { anything: { x: 1 } }, []],
    ['what a choice holds', { choice: { x: 1 } }, []],
  ])('ignores %s', (_name, fields, ignored) => {
    expect(check({ name: 'n', ...fields }, lenient).toSorted()).toEqual(ignored);
  });

  it('refuses what is wrong, whatever else is unknown', () => {
    const act = (value: unknown): void => void check(value, lenient);
    expect(invalidFieldsOf(act, { x: 1, owner: { name: 7 } })).toEqual({
      name: 'is required',
      'owner.name': expect.any(String),
    });
  });

  it('refuses every unknown field too when it is strict', () => {
    const act = (value: unknown): void => void check(value, { isStrict: true });
    expect(invalidFieldsOf(act, { x: 1, owner: { y: 1 } })).toEqual({
      name: 'is required',
      x: 'is not known here',
      'owner.y': 'is not known here',
    });
    expect(invalidFieldsOf(act, { id: 7, name: 'n' })).toEqual({});
  });
});
