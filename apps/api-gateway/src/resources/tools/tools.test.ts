import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { ToolRunSchema } from '@witan/contracts';
import { encodeToolRun } from './tools.ts';

const encode = (run: { arguments?: string; result?: string; error?: string }): string =>
  JSON.stringify(encodeToolRun(create(ToolRunSchema, { result: 'null', ...run })));
const argumentsOf = (text: string): unknown =>
  (JSON.parse(encode({ arguments: text })) as { arguments: unknown }).arguments;

describe('an encoded tool call', () => {
  it('preserves the text of numbers', () => {
    const run = { arguments: '{"n":12345678901234567890}', result: '[1.0]' };
    expect(encode(run)).toContain('"arguments":{"n":12345678901234567890}');
    expect(encode(run)).toContain('"result":[1.0]');
  });

  it.each(['', ' \n', ' {} '])('has no arguments for %j', (text) => {
    expect(argumentsOf(text)).toEqual({});
  });

  it.each(['[1]', 'null', '7', '12345678901234567890', '"a"', '{"a":', '{} {}', 'x'])(
    'has %j, which is not an object, as text',
    (text) => {
      expect(argumentsOf(text)).toBe(text);
    },
  );

  it('has arguments that are nested too deep as text', () => {
    const deep = `{"a":${'['.repeat(32_000)}${']'.repeat(32_000)}}`;
    expect(argumentsOf(deep)).toBe(deep);
  });

  it('preserves members named like those of prototypes', () => {
    const text = '{"__proto__":{"a":1},"constructor":2}';
    expect(encode({ arguments: text })).toContain(`"arguments":${text}`);
  });

  it('has either a result or an error', () => {
    const run = { error: 'away', result: '' };
    expect(JSON.parse(encode(run))).toMatchObject({ result: null, error: 'away' });
  });
});
