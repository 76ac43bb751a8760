import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { ToolRunSchema } from '@witan/contracts';
import { encodeToolRun } from './encode-tool-run.ts';

const encode = (run: { arguments?: string; result?: string; error?: string }): string =>
  JSON.stringify(encodeToolRun(create(ToolRunSchema, { result: 'null', ...run })));
const argumentsOf = (text: string): unknown =>
  (JSON.parse(encode({ arguments: text })) as { arguments: unknown }).arguments;

describe('how a call of a tool is shown', () => {
  it('writes numbers as they were written', () => {
    const run = { arguments: '{"n":12345678901234567890}', result: '[1.0]' };
    expect(encode(run)).toContain('"arguments":{"n":12345678901234567890}');
    expect(encode(run)).toContain('"result":[1.0]');
  });

  it.each(['', ' \n', ' {} '])('shows %j as no arguments', (text) => {
    expect(argumentsOf(text)).toEqual({});
  });

  it.each(['[1]', 'null', '7', '12345678901234567890', '"a"', '{"a":', '{} {}', 'x'])(
    'shows %j, which is no object, as the text that the model wrote',
    (text) => {
      expect(argumentsOf(text)).toBe(text);
    },
  );

  it('shows what is too deep for any writer as text', () => {
    const deep = `{"a":${'['.repeat(32_000)}${']'.repeat(32_000)}}`;
    expect(argumentsOf(deep)).toBe(deep);
  });

  it('preserves members that are named like those of prototypes', () => {
    const text = '{"__proto__":{"a":1},"constructor":2}';
    expect(encode({ arguments: text })).toContain(`"arguments":${text}`);
  });

  it('has no result beside an error', () => {
    const run = { error: 'away', result: '' };
    expect(JSON.parse(encode(run))).toMatchObject({ result: null, error: 'away' });
  });
});
