import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json/json-value.ts';
import { editMembers } from '../json/json-text.ts';
import { toEgressEdits, readRequest } from './request.ts';

const edit = (source: string, model = 'gpt-5'): string => {
  const summary = readRequest(JSON.parse(source) as JsonObject);
  return editMembers(source, toEgressEdits(summary, { model, maxOutputTokens: 1_000 }).edits);
};

const HEAD = '{ "model":"gpt-5",\n "messages":[{"role":"user","content":"\\u00e9"}],"x":1.0';

describe('toEgressEdits', () => {
  it.each([
    ['a plain body', `${HEAD}}`],
    ['limits at the cap', `${HEAD},"max_tokens":1000,"max_completion_tokens":999}`],
    ['a limit that is null', `${HEAD},"max_tokens":null}`],
    [
      'a stream with usage requested',
      `${HEAD},"stream":true,"stream_options":{"include_usage":true}}`,
    ],
  ])('changes nothing for %s', (_name, source) => {
    const summary = readRequest(JSON.parse(source) as JsonObject);
    expect(toEgressEdits(summary, { model: 'gpt-5', maxOutputTokens: 1_000 }).edits).toEqual({});
  });

  it('sets the model and changes nothing else', () => {
    expect(edit(`${HEAD}}`, 'gpt-"full"')).toBe(`${HEAD.replace('gpt-5', 'gpt-\\"full\\"')}}`);
  });

  it('clamps both limits to the cap', () => {
    expect(edit(`${HEAD},"max_tokens":5000,"max_completion_tokens":1e9}`)).toBe(
      `${HEAD},"max_tokens":1000,"max_completion_tokens":1000}`,
    );
  });

  it('treats a model with a flag as named by the client', () => {
    const rest = '"max_completion_tokens":7,"temperature":0.5}';
    expect(edit(`{"model":"gpt-5+knowledge",${rest}`)).toBe(`{"model":"gpt-5",${rest}`);
  });

  it('adds the largest allowance for an unknown effort', () => {
    const source = '{"model":"auto","max_tokens":7,"reasoning_effort":"constructor"}';
    expect(edit(source)).toContain('"max_completion_tokens":1000');
  });

  it.each([
    ['no options', '', '"stream_options":{"include_usage":true}'],
    [
      'usage disabled',
      ',"stream_options":{"include_usage":false}',
      '"stream_options":{"include_usage":true}',
    ],
    [
      'other options',
      ',"stream_options":{"include_obfuscation":false}',
      '"stream_options":{"include_obfuscation":false,"include_usage":true}',
    ],
  ])('requests the usage chunk of a stream with %s', (_name, options, expected) => {
    expect(edit(`${HEAD},"stream":true${options}}`)).toBe(`${HEAD},"stream":true,${expected}}`);
  });

  it.each([
    ['gpt-5', '', '"max_completion_tokens":1000'],
    ['llama3', '', '"max_tokens":1000'],
    ['llama3', ',"max_tokens":7', undefined],
    ['gpt-5', ',"max_tokens":null', '"max_completion_tokens":1000'],
  ])('adds a limit to a call to %s%s that must have one', (model, limits, added) => {
    const source = `{"model":"${model}","messages":[]${limits}}`;
    const summary = readRequest(JSON.parse(source) as JsonObject);
    const { edits } = toEgressEdits(summary, { model, maxOutputTokens: 1_000, isLimited: true });
    expect(editMembers(source, edits)).toBe(added ? `${source.slice(0, -1)},${added}}` : source);
  });

  const ASKED = '{"model":"service-auto", "temperature":0.2,"max_tokens":100,"top_p":1,"n":1}';

  it('adapts the parameters to a reasoning model that the gateway chose', () => {
    const summary = readRequest(JSON.parse(ASKED) as JsonObject);
    const target = { model: 'gpt-5', maxOutputTokens: 16_000 };
    const { edits, dropped, outputTokens } = toEgressEdits(summary, target);
    expect(editMembers(ASKED, edits)).toBe('{"model":"gpt-5", "n":1,"max_completion_tokens":8100}');
    expect([dropped, outputTokens]).toEqual([['temperature', 'top_p'], 8_100]);
  });

  it.each(['gpt-4.1', 'gpt-5-chat-latest', 'llama3'])(
    'changes nothing for the model %s',
    (model) => {
      expect(edit(ASKED, model)).toBe(ASKED.replace('service-auto', model));
    },
  );

  it('does not adapt the parameters to a reasoning model that the client named', () => {
    const source = ASKED.replace('service-auto', 'gpt-5');
    expect(edit(source, 'gpt-5')).toBe(source);
  });
});
