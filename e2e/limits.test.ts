import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answerMessageWith,
  answerWith,
  createGate,
  cutBeforeHeaders,
  eventually,
  failWith,
  neverAnswer,
} from '@witan/testing';
import type { Script } from '@witan/testing';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectChatRefusal, expectMessageRefusal, expectNativeRefusal } from './expect-refusal.ts';
import { CHAT, createHttpClient, MESSAGE_PING, MESSAGES, PING } from './http-client.ts';
import { RESPONSE_PING, RESPONSES } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const PER_MINUTE = 6;
const ENV = { WITAN_RATE_LIMIT_PER_MINUTE: String(PER_MINUTE), WITAN_MAX_STREAMS_PER_KEY: '1' };
const POLICY = `"default";q=${PER_MINUTE};w=60`;
const LIMIT_HEADERS = ['ratelimit', 'ratelimit-policy', 'retry-after'];

const STREAM = { ...PING, stream: true };
const MESSAGE_STREAM = { ...MESSAGE_PING, stream: true };
const PROOFS_PATH = '/v1/proofs';
/**
 * Invalid JSON: a response of 429 instead of 400 shows that the limit is checked before the body is
 * parsed.
 */
const INVALID_JSON = '{';
const SESSIONS_PATH = '/v1/console/sessions';
const RATE_LIMIT_ERROR = { status: 429, type: 'rate_limit_error' };

const expectChatLimit = (answer: Answer): void =>
  expectChatRefusal(answer, { ...RATE_LIMIT_ERROR, code: 'rate_limit_exceeded' });
const expectMessageLimit = (answer: Answer): void => expectMessageRefusal(answer, RATE_LIMIT_ERROR);
const expectNativeLimit = (answer: Answer): void =>
  expectNativeRefusal(answer, { ...RATE_LIMIT_ERROR, code: 'rate_limited' });

const REFUSAL_CASES: [string, string, string | undefined, (answer: Answer) => void][] = [
  ['chat-completions', `POST ${CHAT}`, INVALID_JSON, expectChatLimit],
  ['messages', `POST ${MESSAGES}`, INVALID_JSON, expectMessageLimit],
  ['messages', `POST ${MESSAGES}/count_tokens`, INVALID_JSON, expectMessageLimit],
  ['responses', `POST ${RESPONSES}`, INVALID_JSON, expectChatLimit],
  ['native', `GET ${PROOFS_PATH}`, undefined, expectNativeLimit],
];

describe.each(TRANSPORTS)('configured limits, services over %s', (transport) => {
  let fixture: Fixture;
  let keys: Keys;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    fixture = await openFixture({ transport, env: ENV });
    keys = await openKeys(fixture.system);
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const createClient = async (scopes?: string[]): Promise<HttpClient> =>
    createHttpClient(await keys.makeKey(scopes));

  const exhaustLimit = async (client: HttpClient): Promise<void> => {
    for (let call = 0; call < PER_MINUTE; call += 1) {
      expect((await client.send(PROOFS_PATH)).status).toBe(200);
    }
  };

  const readRefusals = async (): Promise<Record<string, number>> => {
    const admin = fixture.system.adminUrls['api-gateway']!;
    const text = await (await fetch(`${admin}/metrics`)).text();
    const matches = text.matchAll(/^api_gateway_limited_total\{limit="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...matches].map(([, limit, count]) => [limit, Number(count)]));
  };

  describe('calls of a key', () => {
    it('are counted down in every response, whatever its status', async () => {
      const client = await createClient();
      const answers = [
        [200, await client.send(PROOFS_PATH)],
        [200, await client.complete(PING)],
        [400, await client.complete(INVALID_JSON)],
        [404, await client.send(`${PROOFS_PATH}/pf_nobody`)],
        [501, await client.message({ ...MESSAGE_PING, model: 'debate:x' })],
        [200, await client.complete(STREAM)],
      ] as const;
      let remaining = PER_MINUTE;
      for (const [status, { status: actualStatus, headers }] of answers) {
        remaining -= 1;
        expect([actualStatus, headers.get('ratelimit-policy')]).toEqual([status, POLICY]);
        expect(headers.get('ratelimit')).toMatch(
          new RegExp(`^"default";r=${remaining};t=([1-9]|10)$`, 'u'),
        );
        expect(headers.has('retry-after')).toBe(false);
      }
    });

    it.each(REFUSAL_CASES)(
      'are refused beyond the limit in the %s shape: %s',
      async (_shape, ...rest) => {
        const [operation, body, expectRefusal] = rest;
        const client = await createClient();
        await exhaustLimit(client);
        const [before, { rate = 0 }] = [fixture.calls().length, await readRefusals()];
        const [method = '', path = ''] = operation.split(' ');
        const answer = await client.send(path, { method, body });
        expectRefusal(answer);
        expectDocumented(answer, operation);
        const seconds = answer.headers.get('retry-after');
        expect(seconds).toMatch(/^([1-9]|10)$/);
        expect(answer.headers.get('ratelimit')).toBe(`"default";r=0;t=${seconds}`);
        expect(answer.headers.get('ratelimit-policy')).toBe(POLICY);
        expect(fixture.calls()).toHaveLength(before);
        expect(await readRefusals()).toMatchObject({ rate: rate + 1 });
      },
    );

    it('do not count for another key', async () => {
      const [client, other] = [await createClient(), await createClient()];
      await exhaustLimit(client);
      expect((await client.send(PROOFS_PATH)).status).toBe(429);
      expect((await other.complete(PING)).status).toBe(200);
    });

    it('count even without the required scope', async () => {
      const client = await createClient(['ledger']);
      const { status, headers } = await client.complete(PING);
      expect([status, headers.get('ratelimit')]).toEqual([403, expect.stringContaining('r=5')]);
    });

    it('include signing in to the console, which is refused beyond the limit', async () => {
      const { apiKey: key } = await keys.makeKey();
      const signIn = () => fixture.client.send(SESSIONS_PATH, { body: { key }, headers: {} });
      for (let call = 0; call < PER_MINUTE; call += 1) expect((await signIn()).status).toBe(201);
      const answer = await signIn();
      expectNativeLimit(answer);
      expectDocumented(answer, `POST ${SESSIONS_PATH}`);
    });

    it('are not reported without a key', async () => {
      const answersWithoutKey = [
        await fixture.client.complete(PING, { headers: { authorization: 'Bearer nobody' } }),
        await fixture.client.send('/v1/openapi.json', { headers: {} }),
      ];
      expect(answersWithoutKey.map(({ status }) => status)).toEqual([401, 200]);
      for (const { headers } of answersWithoutKey) {
        expect(LIMIT_HEADERS.filter((name) => headers.has(name))).toEqual([]);
      }
    });

    it('are logged with the workspace when they are refused', async () => {
      const key = await keys.makeKey();
      const client = createHttpClient(key);
      await exhaustLimit(client);
      const { headers } = await client.send(PROOFS_PATH);
      const requestId = headers.get('x-request-id');
      const loggedLines = fixture.system.logLines
        .map((text) => JSON.parse(text) as Record<string, unknown>)
        .filter((one) => one.requestId === requestId && one.path === PROOFS_PATH);
      const { workspaceId } = key;
      expect(loggedLines).toMatchObject([{ workspaceId, status: 429, reason: 'RATE_LIMITED' }]);
    });
  });

  describe('streams of a key', () => {
    /**
     * Starts a call and waits until the provider has received it. Returns the pending response in
     * an array, so that `await` does not wait for it.
     */
    const startCall = async <T>(script: Script, call: () => Promise<T>): Promise<Promise<T>[]> => {
      const callNumber = fixture.provider.requests.length + 1;
      fixture.provider.script(script);
      const answer = call();
      await fixture.provider.whenRequest(callNumber);
      return [answer];
    };

    it('run one at a time in the chat-completions dialect', async () => {
      const client = await createClient();
      const gate = createGate();
      const [first] = await startCall(answerWith({}, { gate }), () => client.complete(STREAM));
      const [before, { streams = 0 }] = [fixture.calls().length, await readRefusals()];
      const second = await client.complete(STREAM);
      expectChatRefusal(second, { ...RATE_LIMIT_ERROR, code: 'too_many_streams' });
      expect(second.headers.get('retry-after')).toBe('1');
      expectDocumented(second, `POST ${CHAT}`);
      expect(fixture.calls()).toHaveLength(before);
      expect(await readRefusals()).toMatchObject({ streams: streams + 1 });
      gate.open();
      expect((await first!).text).toContain('[DONE]');
    });

    it('run one at a time in the messages dialect', async () => {
      const client = await createClient();
      const gate = createGate();
      const script = answerMessageWith({}, { gate });
      const [first] = await startCall(script, () => client.message(MESSAGE_STREAM));
      const before = fixture.calls().length;
      const second = await client.message(MESSAGE_STREAM);
      expectMessageLimit(second);
      expect(second.headers.get('retry-after')).toBe('1');
      expectDocumented(second, `POST ${MESSAGES}`);
      expect(fixture.calls()).toHaveLength(before);
      gate.open();
      expect((await first!).text).toContain('message_stop');
    });

    it('count in both dialects together; plain calls and other keys do not count', async () => {
      const [client, other] = [await createClient(), await createClient()];
      const gate = createGate();
      const [first] = await startCall(answerWith({}, { gate }), () => client.complete(STREAM));
      expect((await client.message(MESSAGE_STREAM)).status).toBe(429);
      expect((await client.complete(PING)).status).toBe(200);
      expect((await other.complete(STREAM)).status).toBe(200);
      gate.open();
      expect((await first!).status).toBe(200);
    });

    it('count with responses in the background, until those have ended', async () => {
      const client = await createClient();
      const gate = createGate();
      const queue = (): Promise<Answer> =>
        client.send(RESPONSES, { body: { ...RESPONSE_PING, background: true } });
      const [first] = await startCall(answerWith({}, { after: gate.pass() }), queue);
      expect((await first!).status).toBe(202);
      expectChatRefusal(await queue(), { ...RATE_LIMIT_ERROR, code: 'too_many_streams' });
      expect((await client.complete(STREAM)).status).toBe(429);
      gate.open();
      const isFree = async (): Promise<boolean> => (await client.complete(STREAM)).status === 200;
      await eventually(isFree, 'the end of the response');
    });

    it('may follow each other immediately', async () => {
      const client = await createClient();
      for (let call = 0; call < PER_MINUTE; call += 1) {
        expect((await client.complete(STREAM)).status).toBe(200);
      }
    });

    it.each<[string, Script, number]>([
      ['breaks off in the middle', answerWith({ content: ['a', 'b'] }, { cutAfter: 2 }), 200],
      ['breaks off before it begins', cutBeforeHeaders(), 502],
      ['is refused', failWith(400), 400],
      ['is not a stream', answerWith({}), 200],
    ])('release their permit when the provider’s answer %s', async (_name, script, status) => {
      const client = await createClient();
      fixture.provider.script(script);
      expect((await client.complete(STREAM)).status).toBe(status);
      expect((await client.complete(STREAM)).status).toBe(200);
      const gate = createGate();
      const [first] = await startCall(answerWith({}, { gate }), () => client.complete(STREAM));
      expect((await client.complete(STREAM)).status).toBe(429);
      gate.open();
      expect((await first!).status).toBe(200);
    });

    it.each<[string, () => Script]>([
      ['before it began', () => neverAnswer()],
      ['in its middle', () => neverAnswer({ sendHeaders: true })],
    ])('release their permit when the client disconnects %s', async (_name, script) => {
      const client = await createClient();
      const callNumber = fixture.provider.requests.length + 1;
      const controller = new AbortController();
      const { signal } = controller;
      const [abortedCall] = await startCall(script(), () =>
        client.complete(STREAM, { signal }).catch((error: unknown) => String(error)),
      );
      expect((await client.complete(STREAM)).status).toBe(429);
      controller.abort();
      expect(await abortedCall).toContain('abort');
      await fixture.provider.whenAborted(callNumber);
      expect((await client.complete(STREAM)).status).toBe(200);
    });

    it('release their permit when the call is refused', async () => {
      const client = await createClient();
      expect((await client.complete({ ...STREAM, model: 'debate:x' })).status).toBe(501);
      expect((await client.complete({ ...STREAM, model: 7 })).status).toBe(400);
      expect((await client.complete(STREAM)).status).toBe(200);
    });
  });
});

describe.each(TRANSPORTS)('default limits, services over %s', (transport) => {
  it('refuse no call and add no header', async () => {
    await using fixture = await openFixture({ transport });
    const { client } = fixture;
    const calls = Array.from({ length: 25 }, () => client.complete(STREAM));
    const answers = [await client.send(PROOFS_PATH), await client.message(MESSAGE_PING)];
    for (const { status, headers } of [...answers, ...(await Promise.all(calls))]) {
      expect(status).toBe(200);
      expect(LIMIT_HEADERS.filter((name) => headers.has(name))).toEqual([]);
    }
  });
});
