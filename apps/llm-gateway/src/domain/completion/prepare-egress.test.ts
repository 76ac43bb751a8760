import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readChatRequest } from '@witan/dialects';
import { prepareEgress } from './prepare-egress.ts';

const CAP = 1_000;

const prepare = (text: string, model?: string) => {
  const source = Buffer.from(text);
  const request = readChatRequest(JSON.parse(text) as Record<string, unknown>);
  const options = { model: model ?? request.model, maxOutputTokens: CAP };
  return { source, egress: prepareEgress({ bytes: source, text }, request, options) };
};
const textOf = (text: string, model?: string): string =>
  Buffer.from(prepare(text, model).egress.bytes).toString('utf8');

const HEAD = '{ "model":"gpt-5",\n "messages":[{"role":"user","content":"\\u00e9 1.0"}]';

describe('prepareEgress', () => {
  it.each([
    ['a plain body', `${HEAD}}`],
    [
      'unknown fields, odd spellings and huge numbers',
      `${HEAD},"x":{"n":1e400,"i":12345678901234567890}}`,
    ],
    ['a limit below the cap', `${HEAD},"max_tokens":999}`],
    ['a limit at the cap', `${HEAD},"max_completion_tokens":1000}`],
    ['a limit that is null', `${HEAD},"max_tokens":null}`],
    [
      'a stream that asks for usage itself',
      `${HEAD},"stream":true,"stream_options":{"include_usage":true}}`,
    ],
    ['a member that stands twice', `${HEAD},"user":"a","user":"b"}`],
  ])('leaves the bytes of %s alone', (_name, text) => {
    const { source, egress } = prepare(text);
    expect(egress.bytes).toBe(source);
  });

  it('names the model that runs, and touches nothing else', () => {
    expect(textOf(`${HEAD},"x":1.0}`, 'gpt-full')).toBe(
      `${HEAD.replace('gpt-5', 'gpt-full')},"x":1.0}`,
    );
  });

  it.each(['max_tokens', 'max_completion_tokens'])('clamps %s to the cap', (name) => {
    expect(textOf(`${HEAD},"${name}":1001}`)).toBe(`${HEAD},"${name}":1000}`);
    expect(textOf(`${HEAD},"${name}":1e9,"z":0}`)).toBe(`${HEAD},"${name}":1000,"z":0}`);
  });

  it('clamps both limits when both are there', () => {
    expect(textOf(`${HEAD},"max_tokens":5000,"max_completion_tokens":6000}`)).toBe(
      `${HEAD},"max_tokens":1000,"max_completion_tokens":1000}`,
    );
  });

  it.each([
    ['no options', '', { include_usage: true }],
    ['empty options', ',"stream_options":{}', { include_usage: true }],
    ['options that are null', ',"stream_options":null', { include_usage: true }],
    ['usage switched off', ',"stream_options":{"include_usage":false}', { include_usage: true }],
    [
      'other options',
      ',"stream_options":{"include_obfuscation":false,"future":[1]}',
      { include_obfuscation: false, future: [1], include_usage: true },
    ],
  ])('asks a stream with %s for its usage', (_name, options, expected) => {
    const sent = JSON.parse(textOf(`${HEAD},"stream":true${options}}`)) as Record<string, unknown>;
    expect(sent.stream_options).toEqual(expected);
    expect(sent.stream).toBe(true);
  });

  it('asks nobody for usage who does not stream', () => {
    expect(textOf(`${HEAD},"stream":false}`)).toBe(`${HEAD},"stream":false}`);
  });

  it('hashes the exact bytes that leave', () => {
    for (const model of [undefined, 'gpt-full']) {
      const { bytes, sha256 } = prepare(`${HEAD},"max_tokens":5000}`, model).egress;
      expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    }
  });
});
