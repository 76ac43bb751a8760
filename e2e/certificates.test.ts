import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsePublicKeys, verifyCertificate, verifyRequest, verifyResponse } from '@witan/proof';
import type { PublicKeys } from '@witan/proof';
import { runVerify } from '@witan/proof/cli/verify';
import { answerWith, respondWith, streamFrames, toChatCompletion } from '@witan/testing';
import type { ChatAnswer, Script } from '@witan/testing';
import { PING } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const choice = (index: number, content: string | null) => ({
  index,
  message: { role: 'assistant', content },
  finish_reason: 'stop',
});

const toScript = (answer: ChatAnswer): Script => answerWith(answer);
const toolCalls = [
  { name: 'add', arguments: '{"a": 1.0}' },
  { name: 'sub', arguments: '' },
];

/** Provider responses, and the finish reason that the call's certificate must contain. */
const CALLS: [string, Script, string][] = [
  ['text', toScript({ content: ['He', 'llo ', '🦊'] }), 'stop'],
  ['truncated text', toScript({ finishReason: 'length' }), 'length'],
  ['filtered text', toScript({ content: '', finishReason: 'content_filter' }), 'content_filter'],
  ['tool calls', toScript({ toolCalls }), 'tool_calls'],
  [
    'lone surrogates',
    respondWith({ body: JSON.stringify(toChatCompletion()).replace('pong', '\\ud83d!') }),
    'stop',
  ],
  ['huge integers', toScript({ extra: { x: 1e300 } }), 'stop'],
  [
    'choices out of order',
    respondWith({ body: { choices: [choice(1, 'b'), choice(0, null)] } }),
    'stop',
  ],
  [
    'CRLF and comments',
    streamFrames([
      ': x\r\n\r\n',
      'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\r\n\r\n',
    ]),
    'stop',
  ],
];

/** Returns a body that canonical JSON (RFC 8785) rejects, because it contains lone surrogates. */
const bodyWithLoneSurrogates = (streamed: boolean): string =>
  `{"model":"gpt-test","stream":${streamed},"seed":123456789012345678901234567890,"2":0,"10":1,` +
  `"__proto__":{"a":-0.0},"messages":[{"role":"user","content":"\\udc00 lone \\ud800"}]}`;

describe.each(TRANSPORTS)('certificates of calls, services over %s', (transport) => {
  let fixture: Fixture;
  let keyFile: string;
  let keys: PublicKeys;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    keyFile = (await fixture.client.send('/v1/gateway/public-key', { headers: {} })).text;
    keys = parsePublicKeys(keyFile);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const certificateOf = async (headers: Headers): Promise<string> =>
    (await fixture.client.send(`/v1/proofs/${headers.get('x-service-proof')}`)).text;

  describe.each([
    ['plain', false],
    ['streamed', true],
  ])('%s', (_form, streamed) => {
    it.each(CALLS)(
      'commit to request, egress and response: %s',
      async (_name, script, expectedFinishReason) => {
        fixture.provider.script(script);
        const body = bodyWithLoneSurrogates(streamed);
        const response = await fixture.client.complete(body);
        expect(response.status).toBe(200);
        const certificate = await certificateOf(response.headers);
        const { payload } = verifyCertificate(certificate, keys);
        verifyRequest(payload, body);
        verifyResponse(payload, response.bytes);
        expect(payload).toMatchObject({
          v: 1,
          id: response.headers.get('x-service-proof'),
          issuer: 'witan',
          request: { model: 'gpt-test' },
          address: { kind: 'model' },
          egress: { provider: 'openai', model: 'gpt-test', pii: { masked: 0, categories: [] } },
          response: { finishReason: expectedFinishReason },
          routing: { taskType: 'chat', reason: 'passthrough' },
        });
        expect(payload.egress.sha256).toBe(sha256(fixture.provider.requests.at(-1)!.body));
        expect(payload).not.toHaveProperty('grounding');
      },
    );

    it('contain the usage that the provider reported, or a marked estimate', async () => {
      const reported = { prompt_tokens: 0, completion_tokens: 7, total_tokens: 7 };
      const body = { ...PING, stream: streamed };
      fixture.provider.script(answerWith({ usage: reported }));
      const exact = await fixture.client.complete(body);
      fixture.provider.script(answerWith({ usage: { prompt_tokens: null } }));
      const estimated = await fixture.client.complete(body);
      // The token count exceeds the range of its proto field.
      fixture.provider.script(answerWith({ usage: { ...reported, prompt_tokens: 5e9 } }));
      const overflowing = await fixture.client.complete(body);
      const usages = [exact, estimated, overflowing].map(async ({ headers, bytes }) => {
        const { payload } = verifyCertificate(await certificateOf(headers), keys);
        verifyResponse(payload, bytes);
        return payload.response.usage;
      });
      expect(await Promise.all(usages)).toEqual([
        { promptTokens: 0, completionTokens: 7, totalTokens: 7 },
        expect.objectContaining({ estimated: true }),
        expect.objectContaining({ estimated: true }),
      ]);
    });

    it('are durable before the response ends', async () => {
      const response = await fixture.client.complete({ ...PING, stream: streamed });
      const id = response.headers.get('x-service-proof');
      const last = (await fixture.client.listCertificates()).at(-1);
      expect(last?.payload.id).toBe(id);
    });

    it('are verified offline by the command line, which detects one changed byte', async () => {
      const body = bodyWithLoneSurrogates(streamed);
      const response = await fixture.client.complete(body);
      const certificate = await certificateOf(response.headers);
      const files = { certificate, key: keyFile, request: body, response: response.text };
      const verifyChanged = (name: keyof typeof files, from: string, to: string) =>
        verifyOffline({ ...files, [name]: files[name].replace(from, to) });
      expect(await verifyOffline(files)).toEqual([0, 'valid']);
      for (const [name, from, to, failedCheck] of [
        ['certificate', '"completionTokens":', '"completionTokens":1', 'payload hash'],
        ['certificate', '"chainIndex":', '"chainIndex":1', 'payload hash'],
        ['certificate', '"payload_hash":"', '"payload_hash":"0', 'schema'],
        ['request', 'lone', 'Lone', 'request'],
        ['response', 'po', 'bo', 'response'],
      ] as const) {
        const outcome = await verifyChanged(name, from, to);
        expect(outcome).toEqual([
          1,
          expect.stringMatching(new RegExp(`^INVALID: ${failedCheck}: `)),
        ]);
      }
    });
  });
});

/**
 * Runs `witan verify` offline on the given contents of files. Returns exit code and last line of
 * output.
 */
const verifyOffline = async (
  files: Record<'certificate' | 'key' | 'request' | 'response', string>,
): Promise<[number, string | undefined]> => {
  const outputLines: string[] = [];
  const flags = ['--public-key', 'key', '--request', 'request', '--response', 'response'];
  const code = await runVerify(['certificate', ...flags], {
    stdout: (text) => void outputLines.push(text),
    stderr: (text) => void outputLines.push(text),
    readFile: async function* read(path) {
      yield new TextEncoder().encode(files[path as keyof typeof files]);
    },
    fetch: () => Promise.reject(new Error('Verifying must not need the network.')),
  });
  return [code, outputLines.at(-1)];
};
