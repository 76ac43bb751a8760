import { describe, expect, it } from '@jest/globals';
import { ValidationError } from './encode-native-error.ts';
import { CHAT_REQUEST } from '../resources/completions/chat-schema.ts';
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
    ['an empty list of messages', { model: 'm', messages: [] }, { messages: expect.any(String) }],
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
      'a limit of zero',
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
  ])('reports the path of %s', (_name, body, invalidFields) => {
    expect(invalidFieldsOf(checkChat, body)).toEqual(invalidFields);
  });

  it('stops at the first error, because a large body may have millions', () => {
    const messages = Array.from({ length: 200 }, () => ({}));
    expect(Object.keys(invalidFieldsOf(checkChat, { model: 'm', messages }))).toEqual([
      'messages[0].role',
    ]);
  });

  it('accepts unknown fields and nulls, which the provider validates', () => {
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

  it('converts text to the types of the schema', () => {
    const query: Record<string, unknown> = { limit: '20' };
    check(query);
    expect(query).toEqual({ limit: 20 });
  });

  it.each([
    ['below its bound', { limit: '0' }, 'limit'],
    ['above its bound', { limit: '501' }, 'limit'],
    ['with a fraction', { limit: '1.5' }, 'limit'],
    ['that is not a number', { limit: 'many' }, 'limit'],
    ['not in its enum', { format: 'xml' }, 'format'],
    ['that is unknown', { page: '2' }, 'page'],
  ])('refuses one %s and names it', (_name, query, path) => {
    expect(Object.keys(invalidFieldsOf(check, query))).toEqual([path]);
  });

  it('reports the first error in the message and as the parameter', () => {
    const checkInvalidQuery = (): void => check({ page: '2', limit: '0' });
    expect(checkInvalidQuery).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param: 'page' } }),
    );
    expect(checkInvalidQuery).toThrow('(and 1 more)');
  });

  it('unescapes slashes and tildes of pointers', () => {
    const body = compileBody({ type: 'object', properties: { 'a/b~c': { type: 'string' } } });
    expect(invalidFieldsOf(body, { 'a/b~c': 1 })).toEqual({ 'a/b~c': expect.any(String) });
  });
});

/** An object with an own member `__proto__`; spreading the object copies it as a member. */
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
  const lenientOptions = { isStrict: false };

  it.each<[string, object, string[]]>([
    ['no field', {}, []],
    ['a read-only field', { id: 7 }, []],
    ['an unknown field', { x: 1 }, ['x']],
    ['nested unknown fields', { owner: { x: 1 }, tags: [{}, { y: 1 }] }, ['owner.x', 'tags[1].y']],
    ['an unknown field of a map entry', { byName: { a: { name: 'a', x: 1 } } }, ['byName.a.x']],
    ['a field named __proto__', PROTO, ['__proto__']],
    ['no field of an object without properties', { anything: { x: 1 } }, []],
    ['no field of an alternative', { choice: { x: 1 } }, []],
  ])('reports as ignored: %s', (_name, fields, ignored) => {
    expect(check({ name: 'n', ...fields }, lenientOptions).toSorted()).toEqual(ignored);
  });

  it('reports only invalid fields if there are unknown ones, too', () => {
    const act = (value: unknown): void => void check(value, lenientOptions);
    expect(invalidFieldsOf(act, { x: 1, owner: { name: 7 } })).toEqual({
      name: 'is required',
      'owner.name': expect.any(String),
    });
  });

  it('refuses unknown fields, too, if strict', () => {
    const act = (value: unknown): void => void check(value, { isStrict: true });
    expect(invalidFieldsOf(act, { x: 1, owner: { y: 1 } })).toEqual({
      name: 'is required',
      x: 'is not known here',
      'owner.y': 'is not known here',
    });
    expect(invalidFieldsOf(act, { id: 7, name: 'n' })).toEqual({});
  });
});
