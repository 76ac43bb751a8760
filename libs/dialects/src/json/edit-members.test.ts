import { describe, expect, it } from '@jest/globals';
import { editMembers } from './json-text.ts';

describe('editMembers', () => {
  it.each([
    ['replaces a value', '{"a":1,"b":2}', { a: '9' }, '{"a":9,"b":2}'],
    ['adds a missing member', '{"a":1}', { b: 'true' }, '{"a":1,"b":true}'],
    ['adds a member before trailing white space', '{"a":1 }', { b: '2' }, '{"a":1 ,"b":2}'],
    ['adds to an empty object', ' { } ', { b: '"x"' }, ' { "b":"x"} '],
    [
      'preserves white space and number spellings',
      '{ "a" : 1.0 , "n":1e400 }',
      { a: '2' },
      '{ "a" : 2 , "n":1e400 }',
    ],
    [
      'preserves huge integers',
      '{"id":123456789012345678901,"m":"x"}',
      { m: '"y"' },
      '{"id":123456789012345678901,"m":"y"}',
    ],
    [
      'does not change nested members',
      '{"o":{"a":1},"l":[{"a":1}],"a":1}',
      { a: '2' },
      '{"o":{"a":1},"l":[{"a":1}],"a":2}',
    ],
    ['matches an escaped key', '{"m\\u006fdel":"x"}', { model: '"y"' }, '{"m\\u006fdel":"y"}'],
    ['replaces all duplicates of a key', '{"a":1,"a":2}', { a: '3' }, '{"a":3,"a":3}'],
    [
      'reads strings with quotes and braces',
      '{"s":"}\\"{\\\\","a":1}',
      { a: '2' },
      '{"s":"}\\"{\\\\","a":2}',
    ],
    [
      'edits inside a member without changing the rest of it',
      '{"o": {"n":1.0, "a":null}}',
      { o: { a: '2', b: '3' } },
      '{"o": {"n":1.0, "a":2,"b":3}}',
    ],
    ['removes a member', '{ "a" : 1 , "b":2, "c":3 }', { b: null }, '{ "a" : 1 , "c":3 }'],
    ['removes the last member', '{"a":1, "b":2 }', { b: null }, '{"a":1 }'],
    ['removes all members, and adds one', '{"a":1,"b":2}', { a: null, b: null, c: '3' }, '{"c":3}'],
    ['removes what is absent', '{"a":1}', { b: null }, '{"a":1}'],
    [
      'replaces a member that is not an object by an object',
      '{"o":null}',
      { o: { a: '2' } },
      '{"o":{"a":2}}',
    ],
    ['adds an object for a missing member', '{}', { o: { a: '2' } }, '{"o":{"a":2}}'],
    ['does not treat __proto__ as an edit', '{"__proto__":1}', { a: '2' }, '{"__proto__":1,"a":2}'],
  ])('%s', (_name, source, edits, expected) => {
    expect(editMembers(source, edits)).toBe(expected);
  });

  it('throws on text that is not JSON instead of looping', () => {
    expect(() => editMembers('{"a":[1', { a: '2' })).toThrow('not JSON');
    expect(() => editMembers('{"a":"x', { a: '2' })).toThrow('not JSON');
  });
});
