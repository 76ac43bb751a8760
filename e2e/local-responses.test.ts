import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commitAnswer, parsePublicKeys, verifyCertificate, verifyResponse } from '@witan/proof';
import { streamFrames } from '@witan/testing';
import OpenAI from 'openai';
import { CHAT, MESSAGE_PING, MESSAGES, PING, RESPONSE_PING, RESPONSES } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const GOLDEN = new URL('../libs/dialects/src/responses/golden/', import.meta.url);

const CALLS = [
  ['hold', '{"to":"alice"}'],
  ['note', '{"a":1}'],
];
const STREAMS = [
  [
    'llama-cpp',
    'We must not pay <Zoë>.\n',
    [
      ['hold', '{"to": "alice"}'],
      ['note', '{"a": 1}'],
    ],
  ],
  ['llama-cpp-repeated-start', 'Zoë pays', []],
  ['ollama-0.32.7', 'We must not pay <Zoë>.', CALLS],
  ['ollama-0.33.0', 'We must not pay <Zoë>.', CALLS],
] as const;

const CLIENTS = [
  ['responses', RESPONSES, { ...RESPONSE_PING, model: 'gpt-test', stream: true }],
  ['chat completions', CHAT, { ...PING, stream: true }],
  ['messages', MESSAGES, { ...MESSAGE_PING, model: 'gpt-test', stream: true }],
] as const;

/** Returns what the official client shows of a saved stream. */
const readAsClient = async (saved: string) => {
  const { responses } = new OpenAI({
    apiKey: 'none',
    baseURL: 'http://localhost',
    maxRetries: 0,
    fetch: () =>
      Promise.resolve(new Response(saved, { headers: { 'content-type': 'text/event-stream' } })),
  });
  const { output_text: content, output } = await responses
    .stream({ model: 'm', input: 'Hi' })
    .finalResponse();
  const calls = output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ id: item.call_id, name: item.name, arguments: item.arguments }]
      : [],
  );
  return { content, calls };
};

describe.each(STREAMS)('a responses stream of %s', (name, content, calls) => {
  let fixture: Fixture;
  let frames: string[];
  beforeAll(async () => {
    const golden = await readFile(new URL(`${name}.txt`, GOLDEN), 'utf8');
    frames = golden.replaceAll('"qwen3"', '"gpt-test"').split(/(?<=\n\n)/);
    fixture = await openFixture({ env: { OPENAI_DIALECTS: 'responses' } });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const send = async (path: string, body: object): Promise<Answer> => {
    fixture.provider.script(streamFrames(frames, { sendDone: false }));
    return fixture.client.send(path, { method: 'POST', body: JSON.stringify(body) });
  };
  const readCertificate = async (answer: Answer) => {
    const keys = parsePublicKeys((await fixture.client.send('/v1/gateway/public-key')).text);
    const { text } = await fixture.client.send(
      `/v1/proofs/${answer.headers.get('x-service-proof')}`,
    );
    return verifyCertificate(text, keys).payload;
  };

  it.each(CLIENTS)('is complete and verifies for a client of %s', async (_client, path, body) => {
    const answer = await send(path, body);
    const payload = await readCertificate(answer);
    expect(answer.status).toBe(200);
    expect(payload.response.finishReason).toBe(calls.length > 0 ? 'tool_calls' : 'stop');
    verifyResponse(payload, Buffer.from(answer.text));
  });

  it('is certified as the official client shows it', async () => {
    const answer = await send(CLIENTS[0][1], CLIENTS[0][2]);
    const shown = await readAsClient(answer.text);
    expect(shown.content).toBe(content);
    expect(shown.calls.map(({ name: called, arguments: json }) => [called, json])).toEqual(calls);
    const { response } = await readCertificate(answer);
    const choice = { index: 0, content: shown.content, toolCalls: shown.calls };
    expect(commitAnswer([choice])).toBe(response.sha256);
    expect(answer.text.match(/^event: /gm)?.length).toBeGreaterThan(5);
  });
});
