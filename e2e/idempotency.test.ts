import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerMessageWith, answerWith, createGate, eventually, failWith } from '@witan/testing';
import type { Script } from '@witan/testing';
import { createExpectDocumented } from './expect-documented.ts';
import { expectChatRefusal, expectMessageRefusal, expectNativeRefusal } from './expect-refusal.ts';
import { CHAT, createHttpClient, MESSAGE_PING, MESSAGES, PING } from './http-client.ts';
import { RESPONSE_PING, RESPONSES } from './http-client.ts';
import type { Answer, RequestOptions } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { insertRecordOfKilledCall, openRecords } from './open-records.ts';
import type { Records } from './open-records.ts';

const CONCURRENT_CALLS = 50;
const INVALID_REQUEST = 'invalid_request_error';
const IN_PROGRESS = { status: 409, type: INVALID_REQUEST, code: 'idempotency_in_progress' };
const REUSED = { status: 422, type: INVALID_REQUEST, code: 'idempotency_key_reused' };

type ToScript = (body: string, after?: Promise<unknown>) => Script;
type Dialect = [name: string, path: string, body: object, toScript: ToScript];
const DIALECTS: Dialect[] = [
  ['chat completions', CHAT, PING, (content, after) => answerWith({ content }, { after })],
  [
    'messages',
    MESSAGES,
    MESSAGE_PING,
    (content, after) => answerMessageWith({ content }, { after }),
  ],
  ['responses', RESPONSES, RESPONSE_PING, (content, after) => answerWith({ content }, { after })],
];

describe.each(TRANSPORTS)('calls with an Idempotency-Key, services over %s', (transport) => {
  let fixture: Fixture;
  let records: Records;
  let keyCount = 0;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    records = await openRecords(fixture.system);
  });
  afterAll(async () => {
    await records[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const newKey = (): string => `key ${(keyCount += 1)}`;
  const send = (
    key: string,
    path: string,
    body: object,
    init: RequestOptions = {},
  ): Promise<Answer> =>
    fixture.client.send(path, {
      body,
      headers: { 'x-api-key': fixture.system.apiKey, 'idempotency-key': key },
      ...init,
    });
  /** Returns the result of `ask`, and the number of provider calls made meanwhile. */
  const countCalls = async <T>(ask: () => Promise<T>): Promise<[T, number]> => {
    const before = fixture.calls().length;
    const answer = await ask();
    return [answer, fixture.calls().length - before];
  };
  const isReplayed = ({ headers }: Answer): boolean =>
    headers.get('idempotency-replayed') === 'true';

  describe.each(DIALECTS)('in %s', (name, path, body, toScript) => {
    const expectRefusal = (answer: Answer, refusal: typeof REUSED): void => {
      if (name === 'messages') expectMessageRefusal(answer, refusal);
      else expectChatRefusal(answer, refusal);
    };

    it('reach the provider once under concurrent retries', async () => {
      const key = newKey();
      const gate = createGate();
      fixture.provider.script(toScript('one of many', gate.pass()));
      const [answers, calls] = await countCalls(async () => {
        const callNumber = fixture.provider.requests.length + 1;
        const pendingAnswers = Array.from({ length: CONCURRENT_CALLS }, () =>
          send(key, path, body),
        );
        await fixture.provider.whenRequest(callNumber);
        // While the first call runs, further requests with its key are refused with 409.
        expect((await send(key, path, body)).status).toBe(409);
        gate.open();
        return await Promise.all(pendingAnswers);
      });
      expect(calls).toBe(1);
      const successes = answers.filter(({ status }) => status === 200);
      const firstText = successes.find((one) => !isReplayed(one))!.text;
      expect(firstText).toContain('one of many');
      for (const one of successes) expect(one.text).toBe(firstText);
      expect(successes.filter((one) => !isReplayed(one))).toHaveLength(1);
      for (const one of answers.filter(({ status }) => status !== 200)) {
        expectRefusal(one, IN_PROGRESS);
        expect(one.headers.get('retry-after')).toBe('1');
      }
    });

    it('return the same response again, byte for byte, with its certificate', async () => {
      const key = newKey();
      fixture.provider.script(toScript('grüße'));
      const first = await send(key, path, body);
      expect([first.status, isReplayed(first)]).toEqual([200, false]);
      const expectDocumented = await createExpectDocumented(fixture.client);
      const [repeatedAnswer, calls] = await countCalls(() => send(key, path, body));
      expect([repeatedAnswer.status, isReplayed(repeatedAnswer), calls]).toEqual([200, true, 0]);
      expect(repeatedAnswer.bytes.equals(first.bytes)).toBe(true);
      for (const header of ['content-type', 'x-service-proof', 'x-service-model']) {
        expect(repeatedAnswer.headers.get(header)).toBe(first.headers.get(header));
      }
      expect(repeatedAnswer.headers.get('x-request-id')).not.toBe(
        first.headers.get('x-request-id'),
      );
      expectDocumented(repeatedAnswer, `POST ${path}`);
      expect(
        (await fixture.client.certificateOf(repeatedAnswer)).payload.response.finishReason,
      ).toBe('stop');
    });

    it('are refused with another body, path or query under the same key', async () => {
      const key = newKey();
      await send(key, path, body);
      const expectDocumented = await createExpectDocumented(fixture.client);
      const otherPath = path === CHAT ? MESSAGES : CHAT;
      const [answers, calls] = await countCalls(() =>
        Promise.all([
          send(key, path, { ...body, temperature: 0.5 }),
          send(key, `${path}?beta=true`, body),
        ]),
      );
      for (const one of answers) {
        expectRefusal(one, REUSED);
        expectDocumented(one, `POST ${path}`);
      }
      expect((await send(key, otherPath, { ...MESSAGE_PING, model: 'gpt-test' })).status).toBe(422);
      expect(calls).toBe(0);
    });

    it('are repeated after a provider error, each with its own certificate', async () => {
      const key = newKey();
      const proofs: (string | null)[] = [];
      for (const status of [500, 429]) {
        fixture.provider.script(failWith(status));
        const failed = await send(key, path, body);
        expect([failed.status, isReplayed(failed)]).toEqual([status, false]);
        proofs.push(failed.headers.get('x-service-proof'));
      }
      const [answer, calls] = await countCalls(() => send(key, path, body));
      expect([answer.status, isReplayed(answer), calls]).toEqual([200, false, 1]);
      proofs.push(answer.headers.get('x-service-proof'));
      expect(new Set(proofs).size).toBe(3);
      for (const proof of proofs) {
        expect((await fixture.client.send(`/v1/proofs/${proof}`)).status).toBe(200);
      }
      expect(isReplayed(await send(key, path, body))).toBe(true);
    });

    it("return a provider's final refusal again", async () => {
      const key = newKey();
      fixture.provider.script(failWith(400));
      const first = await send(key, path, body);
      const [repeatedAnswer, calls] = await countCalls(() => send(key, path, body));
      expect([first.status, repeatedAnswer.status, isReplayed(repeatedAnswer), calls]).toEqual([
        400,
        400,
        true,
        0,
      ]);
      expect(repeatedAnswer.text).toBe(first.text);
    });

    it('complete after their client has disconnected, and store the response for its retry', async () => {
      const key = newKey();
      const gate = createGate();
      const callNumber = fixture.provider.requests.length + 1;
      fixture.provider.script(toScript('for later', gate.pass()));
      const controller = new AbortController();
      const abortedCall = send(key, path, body, { signal: controller.signal }).catch(String);
      const request = await fixture.provider.whenRequest(callNumber);
      const linesBefore = fixture.system.logLines.length;
      controller.abort();
      expect(await abortedCall).toContain('abort');
      await eventually(
        async () =>
          fixture.system.logLines
            .slice(linesBefore)
            .find((text) => text.includes('response_aborted')),
        'the end of the connection',
      );
      expect((await send(key, path, body)).status).toBe(409);
      gate.open();
      const storedAnswer = await eventually(async () => {
        const repeatedAnswer = await send(key, path, body);
        return repeatedAnswer.status === 409 ? undefined : repeatedAnswer;
      }, 'the answer');
      expect([storedAnswer.status, isReplayed(storedAnswer), request.aborted]).toEqual([
        200,
        true,
        false,
      ]);
      expect(storedAnswer.text).toContain('for later');
      expect(fixture.provider.requests).toHaveLength(callNumber);
    });

    it('ignore the key when streamed, and run every time', async () => {
      const key = newKey();
      const stream = { ...body, stream: true };
      const [answers, calls] = await countCalls(async () => [
        await send(key, path, stream),
        await send(key, path, { ...stream, temperature: 0.5 }),
        await send('k'.repeat(256), path, stream),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers.some(isReplayed)).toBe(false);
      expect(calls).toBe(3);
      expect(isReplayed(await send(key, path, body))).toBe(false);
    });

    it.each([
      ['empty', ''],
      ['too long', 'k'.repeat(256)],
      ['with a control character', 'a\tb'],
    ])('are refused if the key is %s', async (_name, key) => {
      const [refusal, calls] = await countCalls(() => send(key, path, body));
      const param = { param: 'Idempotency-Key' };
      expectRefusal(refusal, { status: 400, type: INVALID_REQUEST, code: null as never, ...param });
      expect(calls).toBe(0);
    });

    /** Writes the idempotency record that a killed process would have left for `key`. */
    const leaveRecord = (key: string, proofId: string): Promise<void> =>
      insertRecordOfKilledCall(fixture, records, { key, path, body, proofId });

    it('continue under the proof id of a killed process', async () => {
      const [key, proofId] = [
        newKey(),
        `pf_left${keyCount}${transport}${name}`.replaceAll(/\W/g, ''),
      ];
      await leaveRecord(key, proofId);
      const [answer, calls] = await countCalls(() => send(key, path, body));
      expect([answer.status, isReplayed(answer), calls]).toEqual([200, false, 1]);
      expect(answer.headers.get('x-service-proof')).toBe(proofId);
      expect(isReplayed(await send(key, path, body))).toBe(true);
    });

    it('are never charged twice: the response that a killed process had is reported as lost', async () => {
      const [key, firstAnswer] = [newKey(), await send(newKey(), path, body)];
      const proofId = firstAnswer.headers.get('x-service-proof')!;
      await leaveRecord(key, proofId);
      const certificates = (await fixture.client.listCertificates()).length;
      for (const isReplayExpected of [false, true]) {
        const [lostAnswer, calls] = await countCalls(() => send(key, path, body));
        expect([lostAnswer.status, isReplayed(lostAnswer), calls]).toEqual([
          409,
          isReplayExpected,
          0,
        ]);
        expect(lostAnswer.headers.get('x-service-proof')).toBe(proofId);
        expect(lostAnswer.headers.get('x-should-retry')).toBe('false');
        // Errors of the messages dialect have no code, so the message is checked.
        expect(lostAnswer.text).toMatch(
          name === 'messages' ? /use a new key/ : /"idempotency_answer_lost"/,
        );
      }
      expect(await fixture.client.listCertificates()).toHaveLength(certificates);
    });

    it('are repeated if a killed process released them before egress', async () => {
      const [key, proofId] = [
        newKey(),
        `pf_up${keyCount}${transport}${name}`.replaceAll(/\W/g, ''),
      ];
      await records.insertReleasedReservation({ workspaceId: fixture.system.workspaceId, proofId });
      await leaveRecord(key, proofId);
      expect((await send(key, path, body)).status).toBe(409);
      const [answer, calls] = await countCalls(() => send(key, path, body));
      expect([answer.status, isReplayed(answer), calls]).toEqual([200, false, 1]);
      expect(answer.headers.get('x-service-proof')).not.toBe(proofId);
    });
  });

  it('store their responses encrypted', async () => {
    const key = newKey();
    fixture.provider.script(answerWith({ content: 'a very particular answer' }));
    expect((await send(key, CHAT, PING)).text).toContain('particular');
    const record = await records.read(key);
    expect(record).toMatchObject({ state: 'done', status: 200 });
    expect(String(record.sealed_answer)).toMatch(/^v1\./);
    const encrypted = Buffer.from(String(record.sealed_answer).slice(3), 'base64url').toString(
      'latin1',
    );
    expect(JSON.stringify(record) + encrypted).not.toMatch(/particular|choices|content-type/);
  });

  it('are separate for each workspace', async () => {
    const key = newKey();
    await send(key, CHAT, PING);
    await using otherKeys = await openKeys(fixture.system);
    const otherKey = await otherKeys.makeKey();
    const headers = { 'x-api-key': otherKey.apiKey, 'idempotency-key': key };
    const answer = await createHttpClient(otherKey).complete(PING, { headers });
    expect([answer.status, isReplayed(answer)]).toEqual([200, false]);
  });

  it('are separate for each API key, which may have fewer scopes', async () => {
    const key = newKey();
    await send(key, CHAT, PING);
    const created = await send(newKey(), '/v1/api-keys', { name: 'less', scopes: ['gateway'] });
    const { key: apiKey } = created.json as { key: string };
    const headers = { 'x-api-key': apiKey, 'idempotency-key': key };
    const answer = await fixture.client.complete(PING, { headers });
    expect([answer.status, isReplayed(answer)]).toEqual([422, false]);
  });

  it('are charged once if the response is too large to store: it is sent, then reported as lost', async () => {
    const key = newKey();
    const content = 'x'.repeat(17 * 1024 * 1024);
    fixture.provider.script(answerWith({ content }));
    const [answer, calls] = await countCalls(() => send(key, CHAT, PING));
    expect([answer.status, isReplayed(answer), calls]).toEqual([200, false, 1]);
    expect(answer.bytes.length).toBeGreaterThan(content.length);
    const [lostAnswer, laterCalls] = await countCalls(() => send(key, CHAT, PING));
    expect([lostAnswer.status, laterCalls]).toEqual([409, 0]);
    expect(lostAnswer.headers.get('x-service-proof')).toBe(answer.headers.get('x-service-proof'));
    expect(fixture.system.logLines.join('')).toContain('idempotent_response_too_large');
  });

  it('of the native API create one object', async () => {
    const key = newKey();
    const path = '/v1/api-keys';
    const first = await send(key, path, { name: 'once', scopes: ['gateway'] });
    const repeatedAnswer = await send(key, path, { name: 'once', scopes: ['gateway'] });
    expect([first.status, repeatedAnswer.status, isReplayed(repeatedAnswer)]).toEqual([
      201,
      201,
      true,
    ]);
    expect(repeatedAnswer.text).toBe(first.text);
    expectNativeRefusal(await send(key, path, { name: 'twice', scopes: ['gateway'] }), REUSED);
    const { json } = await fixture.client.send(path);
    const names = (json as { apiKeys: { name: string }[] }).apiKeys.map(({ name }) => name);
    expect(names.filter((name) => name === 'once' || name === 'twice')).toEqual(['once']);
  });

  it('return the stored response after a restart of the api-gateway', async () => {
    const key = newKey();
    const first = await send(key, CHAT, PING);
    const linesBefore = fixture.system.logLines.length;
    const restart = await fixture.system.interrupt('api-gateway');
    await restart();
    const readyLines = fixture.system.logLines
      .slice(linesBefore)
      .map((text) => JSON.parse(text) as ReadyLine);
    const baseUrl = readyLines.find(({ url }) => url)!.url!;
    const headers = { 'x-api-key': fixture.system.apiKey, 'idempotency-key': key };
    const client = createHttpClient({ ...fixture.system, baseUrl });
    const [repeatedAnswer, calls] = await countCalls(() => client.complete(PING, { headers }));
    expect([repeatedAnswer.status, isReplayed(repeatedAnswer), calls]).toEqual([200, true, 0]);
    expect(repeatedAnswer.text).toBe(first.text);
  });
});

type ReadyLine = { url?: string };
