import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../dialect.ts';
import { editMembers } from '../json/edit-members.ts';
import { toEgressEdits } from './egress-edits.ts';
import { readRequest } from './read-request.ts';

const edit = (source: string, model = 'gpt-5'): string => {
  const facts = readRequest(JSON.parse(source) as JsonObject);
  return editMembers(source, toEgressEdits(facts, { model, maxOutputTokens: 1_000 }));
};

const HEAD = '{ "model":"gpt-5",\n "messages":[{"role":"user","content":"\\u00e9"}],"x":1.0';

describe('toEgressEdits', () => {
  it.each([
    ['a plain body', `${HEAD}}`],
    ['limits at the cap', `${HEAD},"max_tokens":1000,"max_completion_tokens":999}`],
    ['a limit that is null', `${HEAD},"max_tokens":null}`],
    [
      'a stream that asks for usage',
      `${HEAD},"stream":true,"stream_options":{"include_usage":true}}`,
    ],
  ])('has none for %s', (_name, source) => {
    const facts = readRequest(JSON.parse(source) as JsonObject);
    expect(toEgressEdits(facts, { model: 'gpt-5', maxOutputTokens: 1_000 })).toEqual({});
  });

  it('names the model that runs, and touches nothing else', () => {
    expect(edit(`${HEAD}}`, 'gpt-"full"')).toBe(`${HEAD.replace('gpt-5', 'gpt-\\"full\\"')}}`);
  });

  it('clamps both limits to the cap', () => {
    expect(edit(`${HEAD},"max_tokens":5000,"max_completion_tokens":1e9}`)).toBe(
      `${HEAD},"max_tokens":1000,"max_completion_tokens":1000}`,
    );
  });

  it.each([
    ['no options', '', '"stream_options":{"include_usage":true}'],
    [
      'usage switched off',
      ',"stream_options":{"include_usage":false}',
      '"stream_options":{"include_usage":true}',
    ],
    [
      'other options',
      ',"stream_options":{"include_obfuscation":false}',
      '"stream_options":{"include_obfuscation":false,"include_usage":true}',
    ],
  ])('asks upstream for the usage chunk of a stream with %s', (_name, options, expected) => {
    expect(edit(`${HEAD},"stream":true${options}}`)).toBe(`${HEAD},"stream":true,${expected}}`);
  });

  it.each([
    ['gpt-5', '', '"max_completion_tokens":1000'],
    ['llama3', '', '"max_tokens":1000'],
    ['llama3', ',"max_tokens":7', undefined],
    ['gpt-5', ',"max_tokens":null', '"max_completion_tokens":1000'],
  ])('limits a call to %s%s that must have a limit', (model, limits, added) => {
    const source = `{"model":"${model}","messages":[]${limits}}`;
    const facts = readRequest(JSON.parse(source) as JsonObject);
    const edits = toEgressEdits(facts, { model, maxOutputTokens: 1_000, isLimited: true });
    expect(editMembers(source, edits)).toBe(added ? `${source.slice(0, -1)},${added}}` : source);
  });
});
