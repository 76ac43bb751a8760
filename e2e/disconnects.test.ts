import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commitAnswer } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { answerWith, createGate, eventually, neverAnswer } from '@witan/testing';
import type { Script } from '@witan/testing';
import { Client } from 'pg';
import { countReservations } from './count-reservations.ts';
import { CHAT, createHttpClient, PING } from './http-client.ts';
import type { Caller } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const STREAM = { ...PING, stream: true };

const stallInBody: Script = async ({ response, closeSignal }) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
  response.write('{"choices":[');
  await new Promise((resolve) => {
    closeSignal.addEventListener('abort', resolve);
  });
};

describe.each(TRANSPORTS)('a client that disconnects, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const nextCallNumber = (): number => fixture.provider.requests.length + 1;

  /**
   * Waits until the provider has seen its request `callNumber` aborted. Returns the certificate at
   * index `before` of the chain.
   */
  const readAbortedCertificate = async (
    callNumber: number,
    before: number,
  ): Promise<Certificate> => {
    expect((await fixture.provider.whenAborted(callNumber)).aborted).toBe(true);
    return eventually(
      async () => (await fixture.client.listCertificates()).at(before),
      'the certificate of the aborted call',
    );
  };

  it.each<[string, object, Script]>([
    ['before headers', STREAM, neverAnswer()],
    ['before the first token', STREAM, neverAnswer({ sendHeaders: true })],
    ['before the headers of a plain answer', PING, neverAnswer()],
    ['inside the body of a plain answer', PING, stallInBody],
  ])('stops the provider and is certified as aborted: %s', async (_moment, body, script) => {
    const callNumber = nextCallNumber();
    const before = (await fixture.client.listCertificates()).length;
    fixture.provider.script(script);
    const controller = new AbortController();
    const call = fixture.client.complete(body, { signal: controller.signal });
    const abortedCall = call.catch((error: unknown) => String(error));
    await fixture.provider.whenRequest(callNumber);
    controller.abort();
    expect(await abortedCall).toContain('abort');
    const { payload } = await readAbortedCertificate(callNumber, before);
    expect(payload.response).toMatchObject({
      finishReason: 'aborted',
      sha256: commitAnswer([]),
      usage: { completionTokens: 0, estimated: true },
    });
  });

  it('in mid-stream stops the provider, and the delivered part is certified as aborted', async () => {
    const callNumber = nextCallNumber();
    const before = (await fixture.client.listCertificates()).length;
    const gate = createGate();
    fixture.provider.script(answerWith({ content: ['one', 'two', 'three'] }, { gate }));
    gate.release(2);
    const controller = new AbortController();
    const response = await fixture.client.open(CHAT, { body: STREAM, signal: controller.signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('"one"')) text += (await reader.read()).value;
    controller.abort();
    const { payload } = await readAbortedCertificate(callNumber, before);
    expect(payload.id).toBe(response.headers.get('x-service-proof'));
    expect(payload.response).toMatchObject({
      finishReason: 'aborted',
      sha256: commitAnswer([{ index: 0, content: 'one', toolCalls: [] }]),
      usage: { estimated: true },
    });
  });

  it('before its key was looked up reaches no provider', async () => {
    await using keys = await openKeys(fixture.system);
    const callsBefore = fixture.calls().length;
    const before = await fixture.client.listCertificates();
    const calls = Array.from({ length: 10 }, async () =>
      sendAndDisconnect(await keys.makeKey(), PING),
    );
    await Promise.all(calls);
    // A later call with a new key, which is looked up too, gives the earlier calls time to end.
    const { status } = await createHttpClient(await keys.makeKey()).complete(PING);
    expect(status).toBe(200);
    await eventually(async () => {
      const heldCount = await countReservations(fixture.system, 'held');
      return heldCount === 0 ? true : undefined;
    }, 'the end of every reservation');
    expect(fixture.calls()).toHaveLength(callsBefore + 1);
    expect(await fixture.client.listCertificates()).toEqual(before);
  });

  it('during the reservation reaches no provider and is not certified', async () => {
    const callsBefore = fixture.calls().length;
    const before = await fixture.client.listCertificates();
    const releasedBefore = await countReservations(fixture.system, 'released');
    const database = new Client({ connectionString: fixture.system.databaseUrl });
    await database.connect();
    await database.query('BEGIN; LOCK TABLE ledger.reservation');
    const linesBefore = fixture.system.logLines.length;
    const controller = new AbortController();
    const call = fixture.client.complete(PING, { signal: controller.signal });
    const abortedCall = call.catch((error: unknown) => String(error));
    await eventually(async () => {
      const { rowCount } = await database.query(
        'SELECT FROM pg_locks JOIN pg_database d ON d.oid = database' +
          ' WHERE NOT granted AND datname = current_database()',
      );
      return rowCount || undefined;
    }, 'the reservation that waits for the lock');
    controller.abort();
    expect(await abortedCall).toContain('abort');
    await eventually(
      async () =>
        fixture.system.logLines
          .slice(linesBefore)
          .find((text) => text.includes('response_aborted')),
      'the end of the call at the api-gateway',
    );
    // Over gRPC this request follows the abort on the same connection, so its response shows that
    // the llm-gateway has received the abort.
    expect((await fixture.client.send('/v1/models')).status).toBe(200);
    await database.query('COMMIT');
    await database.end();
    await eventually(async () => {
      const releasedNow = await countReservations(fixture.system, 'released');
      return releasedNow > releasedBefore ? releasedNow : undefined;
    }, 'the end of the reservation');
    expect(fixture.calls()).toHaveLength(callsBefore);
    expect(await fixture.client.listCertificates()).toEqual(before);
  });

  it('leaves the system healthy: the next call succeeds', async () => {
    expect((await fixture.client.complete(PING)).status).toBe(200);
  });
});

const sendAndDisconnect = async ({ baseUrl, apiKey }: Caller, body: object): Promise<void> => {
  const { hostname, port } = new URL(baseUrl);
  const text = JSON.stringify(body);
  const head = [
    `POST ${CHAT} HTTP/1.1`,
    `host: ${hostname}`,
    `x-api-key: ${apiKey}`,
    'content-type: application/json',
    `content-length: ${text.length}`,
  ];
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  await new Promise((resolve) => {
    socket.write(`${head.join('\r\n')}\r\n\r\n${text}`, resolve);
  });
  socket.destroy();
};
