import { describe, expect, it } from '@jest/globals';
import { ValidationError } from './encode-native-error.ts';
import {
  EXACT_NON_BLANK_TEXT,
  FUNCTION_NAME,
  LABEL_TEXT,
  PLAIN_TEXT,
  PROVIDER_NAME,
  NON_BLANK_TEXT,
} from './text-pattern.ts';
import { compileNativeBody } from './validate.ts';
import type { JsonSchema } from './route.ts';

const messageOf = (schema: JsonSchema, value: unknown): string => {
  const check = compileNativeBody({ type: 'object', required: ['x'], properties: { x: schema } });
  try {
    check(value === undefined ? {} : { x: value }, { isStrict: true });
  } catch (error) {
    if (error instanceof ValidationError) return error.message;
    throw error;
  }
  return 'nothing';
};

const text = (pattern: string): JsonSchema => ({ type: 'string', pattern });
const EMPTY_MESSAGE = 'x must not be empty.';

describe('the message about an invalid field', () => {
  it.each<[JsonSchema, unknown, string]>([
    [{}, undefined, 'x is required.'],
    [{ type: 'string' }, 1, 'x must be a string.'],
    [{ type: ['object', 'array', 'string'] }, 1, 'x must be an object, an array or a string.'],
    [{ type: ['integer', 'null'] }, 'a', 'x must be a whole number or null.'],
    [{ type: 'boolean' }, 'yes', 'x must be true or false.'],
    [{ type: 'string', minLength: 1 }, '', EMPTY_MESSAGE],
    [{ type: 'string', minLength: 2 }, 'a', 'x must have at least 2 characters.'],
    [{ type: 'string', maxLength: 2 }, 'abc', 'x must have at most 2 characters.'],
    [{ type: 'array', minItems: 1 }, [], 'x must have at least 1 item.'],
    [{ type: 'array', maxItems: 2 }, [1, 2, 3], 'x must have at most 2 items.'],
    [{ type: 'array', uniqueItems: true }, [1, 1], 'x must not hold the same item twice.'],
    [{ type: 'integer', minimum: 1 }, 0, 'x must be 1 or more.'],
    [{ type: 'integer', maximum: 5 }, 6, 'x must be 5 or less.'],
    [{ type: 'integer' }, 1.5, 'x must be a whole number.'],
    [{ enum: ['a', 'b'] }, 'c', 'x must be one of a, b.'],
    [{ const: 'a' }, 'c', 'x must be "a".'],
    [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, 'x must have at most 1 member.'],
    [
      { type: 'object', propertyNames: { minLength: 1 } },
      { '': 1 },
      'x has a member whose name must not be empty.',
    ],
    [{ type: 'object', properties: {} }, { y: 1 }, 'x.y is not known here.'],
    [{ not: {} }, 1, 'x is not valid.'],
  ])('describes schema %j and value %j', (schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message);
  });

  it.each<[string, string, string]>([
    [NON_BLANK_TEXT, ' \n', EMPTY_MESSAGE],
    [NON_BLANK_TEXT, '', EMPTY_MESSAGE],
    [NON_BLANK_TEXT, 'a\0', 'x must not hold the character NUL.'],
    [PLAIN_TEXT, 'a\0', 'x must not hold the character NUL.'],
    [EXACT_NON_BLANK_TEXT, '', EMPTY_MESSAGE],
    [EXACT_NON_BLANK_TEXT, 'a\ud800', 'x must not hold half of a character (a lone surrogate).'],
    [LABEL_TEXT, '  ', EMPTY_MESSAGE],
    [LABEL_TEXT, 'a\n', 'x must not hold control characters.'],
    [FUNCTION_NAME, '1', 'x must be 1 to 64 letters, digits and underscores, and must not begin'],
    [PROVIDER_NAME, 'A', 'x must be 1 to 32 lower-case letters, digits and dashes'],
    ['^z$', 'a', 'x does not have the form that is documented.'],
  ])('describes pattern %s and value %j', (pattern, value, message) => {
    expect(messageOf(text(pattern), value)).toMatch(message);
  });

  it.each([
    [NON_BLANK_TEXT, ['a', ' a ', '\n\ta\nb ', '\u00a0x', '🙂']],
    [EXACT_NON_BLANK_TEXT, ['a', ' a ', '🙂 🙂']],
  ])('accepts non-blank text: %s', (pattern, texts) => {
    expect(texts.map((one) => messageOf(text(pattern), one))).toEqual(texts.map(() => 'nothing'));
  });
});
