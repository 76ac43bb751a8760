import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { checkJson } from './check-json.ts';
import type { BodyKind } from './check-json.ts';

const refusalOf = (text: string, kind: BodyKind = 'gateway'): [string, string] | undefined => {
  try {
    checkJson(text, kind);
  } catch (error) {
    const { message, fields } = error as { message: string; fields: { param?: string } };
    return [fields.param ?? '', message];
  }
  return undefined;
};

const members = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"m${index}":0`).join(',');

describe('a repeated member', () => {
  it.each([
    ['at the top level', '{"model":"a","x":1,"model":"b"}', 'model'],
    ['in a message', '{"messages":[{},{"role":"a","content":"","role":"b"}]}', 'messages[1].role'],
    ['in a schema', '{"tools":[{"function":{"a":{},"a":{}}}]}', 'tools[0].function.a'],
    ['in lists of lists', '{"x":[[1,2],[3,{"y":1,"y":2}]]}', 'x[1][1].y'],
    ['after nested values', '{"x":{"a":[{"b":{}}],"c":"}","a":1}}', 'x.a'],
    ['written with an escape', '{"a":1,"\\u0061":2}', 'a'],
    ['written twice with escapes', '{"\\u0041\\n":1,"A\\u000a":2}', 'A\n'],
    ['with quotes in its name', '{"a\\"":1,"a\\"":2}', 'a"'],
    ['without a name', '{"":1,"":2}', ''],
    ['with white space around', '{ "a" : 1 ,\n "a" : 2 }', 'a'],
    ['named __proto__', '{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('is refused: %s', (_name, text, path) => {
    expect(JSON.parse(text)).toBeDefined();
    expect(refusalOf(text)).toEqual([path, expect.stringContaining('is repeated')]);
    expect(refusalOf(text, 'native')).toEqual([path, expect.any(String)]);
  });

  it.each([
    ['the same name in two objects', '{"a":{"a":1},"b":[{"a":1},{"a":1}]}'],
    ['a value that equals a name', '{"a":"b","b":"a","c":["a","a"]}'],
    ['names that differ in case', '{"a":1,"A":2}'],
    ['text that looks like members', '{"a":"{\\"b\\":1,\\"b\\":2}"}'],
    ['a backslash before a quote', '{"a":"\\\\","b":"\\\\\\"","c":1}'],
    ['nothing', '{}'],
  ])('is not found in %s', (_name, text) => {
    expect(JSON.parse(text)).toBeDefined();
    expect(refusalOf(text)).toBeUndefined();
  });
});

describe('the members of an object', () => {
  const call = (text: string): string =>
    JSON.stringify({ messages: [{ tool_calls: [{ function: { arguments: text } }] }] });
  const ARGUMENTS = 'messages[0].tool_calls[0].function.arguments';

  it.each<[string, string, BodyKind, string, number]>([
    ['at the top level', `{${members(1_001)}}`, 'gateway', '', 1_000],
    ['in metadata', `{"metadata":{${members(1_001)}}}`, 'gateway', 'metadata', 1_000],
    ['in a tool', `{"tools":[{"p":{${members(5_001)}}}]}`, 'gateway', 'tools[0].p', 5_000],
    ['in arguments', call(`{${members(5_001)}}`), 'gateway', ARGUMENTS, 5_000],
    ['nested in arguments', call(`[[{${members(5_001)}}]]`), 'gateway', ARGUMENTS, 5_000],
    ['of a native body', `{${members(5_001)}}`, 'native', '', 5_000],
  ])('are limited: %s', (_name, text, kind, path, limit) => {
    const limitError = expect.stringContaining(`more than ${limit} members`);
    expect(refusalOf(text, kind)).toEqual([path, limitError]);
  });

  it.each<[string, string, BodyKind]>([
    ['at the top level', `{${members(1_000)}}`, 'gateway'],
    ['in a schema', `{"tools":[{"p":{${members(5_000)}}}]}`, 'gateway'],
    ['in the input of a tool', `{"messages":[{"input":{${members(5_000)}}}]}`, 'gateway'],
    ['in arguments', call(`{${members(5_000)}}`), 'gateway'],
    ['in arguments that are not JSON', call(`{${members(6_000)}`), 'gateway'],
    ['in text of a user', JSON.stringify({ content: `{${members(6_000)}}` }), 'gateway'],
    ['of a native body', `{${members(5_000)}}`, 'native'],
  ])('may reach the limit: %s', (_name, text, kind) => {
    expect(refusalOf(text, kind)).toBeUndefined();
  });

  it('are counted only up to the limit', () => {
    // The nesting after the last member would be reported instead if the check did not stop at the
    // limit.
    const text = `{${members(1_001)},"deep":${'['.repeat(200_000)}`;
    expect(refusalOf(text)).toEqual(['', expect.stringContaining('more than 1000 members')]);
  });
});

const argumentsOf = (...texts: readonly string[]): string =>
  JSON.stringify({ calls: texts.map((text) => ({ arguments: text })) });

const TWO_LONG_LISTS = [`[${'0,'.repeat(130_000)}0]`, `[${'0,'.repeat(130_000)}0]`];

describe('a body', () => {
  it.each([
    ['250,000 values', `{"a":[${'0,'.repeat(249_998)}0]}`],
    ['64 levels', `{"a":${'['.repeat(63)}${']'.repeat(63)}}`],
    ['200,000 values in arguments', argumentsOf(`[${'0,'.repeat(200_000)}0]`)],
    ['a long text in arguments', argumentsOf(JSON.stringify({ text: '{[,"'.repeat(300_000) }))],
  ])('may have %s', (_name, text) => {
    expect(refusalOf(text)).toBeUndefined();
  });

  it.each([
    ['250,001 values', `{"a":[${'0,'.repeat(249_999)}0]}`, '250000 values'],
    ['lists of lists', `{"a":[${'[0],'.repeat(125_000)}0]}`, '250000 values'],
    ['65 levels', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, '64 levels'],
    ['200,000 levels', `{"a":${'['.repeat(200_000)}`, '64 levels'],
    ['too many values in arguments', argumentsOf(`[${'{},'.repeat(125_000)}{}]`), '250000 values'],
    ['too many values in two arguments together', argumentsOf(...TWO_LONG_LISTS), '250000 values'],
  ])('may not have %s', (_name, text, limit) => {
    expect(refusalOf(text)).toEqual(['', expect.stringContaining(limit)]);
  });

  it.each(['', '"', '{"a', ']]}}', '{,,,}', '{"a":[}', '{"\\u00":1}'])(
    'is not checked in text that is not JSON: %s',
    (text) => {
      expect(refusalOf(text)).toBeUndefined();
    },
  );
});

describe('the path of an error', () => {
  it('is truncated if it is long', () => {
    const [path] = refusalOf(`{"${'x'.repeat(9_000)}":{"a":1,"a":2}}`)!;
    expect(path).toHaveLength(200);
  });

  afterEach(() => void jest.restoreAllMocks());

  it('is built for errors only, because long names are expensive', () => {
    const making = jest.spyOn(String.prototype, 'toWellFormed');
    expect(refusalOf('{"tools":[{"arguments":"{}"},{"arguments":"{}"}]}')).toBeUndefined();
    expect(making).not.toHaveBeenCalled();
    expect(refusalOf('{"tools":[{"a":1,"a":2}]}')?.[0]).toBe('tools[0].a');
    expect(making).toHaveBeenCalledTimes(1);
  });
});
