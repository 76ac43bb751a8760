import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openReceiver } from '@witan/testing';
import type { Receiver } from '@witan/testing';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';
import { COMPANY, LIST_PATH } from './open-simulations.ts';

const PATH = '/v1/events/stream';
const EVENT = 'simulation.tick.completed';

type Frame = {
  id: string;
  event: string;
  data: { event: string; data: object; timestamp: string };
};

/** Yields the events of a stream, without comments. */
async function* readFrames(response: Response): AsyncGenerator<Frame> {
  let text = '';
  for await (const bytes of response.body!) {
    text += Buffer.from(bytes).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const find = (name: string): string =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      if (find('event') === '') continue;
      yield {
        id: find('id'),
        event: find('event'),
        data: JSON.parse(find('data')) as Frame['data'],
      };
    }
  }
}

describe.each(TRANSPORTS)('the stream of events, services over %s', (transport) => {
  let fixture: Fixture;
  let receiver: Receiver;
  let keys: Keys;
  beforeAll(async () => {
    receiver = await openReceiver();
    const env = { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' };
    fixture = await openFixture({ transport, env });
    keys = await openKeys(fixture.system);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const openWorkspace = async () => {
    const key = await keys.makeKey();
    const client = createHttpClient(key);
    const { json } = await client.send(LIST_PATH, {
      body: { name: 'North', turnUnit: 'quarter', companyBase: COMPANY },
    });
    const { id } = (json as { simulation: { id: string } }).simulation;
    const advance = async (): Promise<void> => {
      expect((await client.send(`${LIST_PATH}/${id}/advance`, { method: 'POST' })).status).toBe(
        200,
      );
    };
    return { key, client, id, advance };
  };
  const openStream = async (
    client: HttpClient,
    { apiKey }: { apiKey: string },
    lastId?: string,
  ) => {
    const abortController = new AbortController();
    const response = await client.open(PATH, {
      headers: {
        'x-api-key': apiKey,
        ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
      },
      signal: abortController.signal,
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const frames = readFrames(response);
    const next = async (): Promise<Frame> => (await frames.next()).value as Frame;
    return { next, close: () => abortController.abort() };
  };

  it('sends events as they happen, with the data that webhooks get', async () => {
    const { key, client, id, advance } = await openWorkspace();
    const path = `/in-${id}`;
    await client.send('/v1/webhooks', { body: { url: receiver.urlOf(path), events: [EVENT] } });
    const stream = await openStream(client, key);
    await advance();
    const frame = await stream.next();
    expect(frame).toEqual({
      id: expect.any(String),
      event: EVENT,
      data: {
        event: EVENT,
        data: { simulationId: id, turn: 1, stateCount: 1 },
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
    await eventually(() => receiver.requestsOf(path).length > 0, 'the delivery to the webhook');
    const { webhookId, ...posted } = JSON.parse(
      receiver.requestsOf(path)[0]!.body.toString(),
    ) as Record<string, unknown>;
    expect([frame.data, webhookId]).toEqual([posted, expect.stringMatching(/^whk_/)]);
    stream.close();
  });

  it('continues after Last-Event-ID, and sends everything after an unknown one', async () => {
    const { key, client, advance } = await openWorkspace();
    const stream = await openStream(client, key);
    await advance();
    const first = await stream.next();
    stream.close();
    await advance();
    await advance();
    const resumed = await openStream(client, key, first.id);
    const turns = [await resumed.next(), await resumed.next()].map(({ data }) => data.data);
    expect(turns).toEqual([
      expect.objectContaining({ turn: 2 }),
      expect.objectContaining({ turn: 3 }),
    ]);
    resumed.close();
    const whole = await openStream(client, key, 'unknown');
    expect((await whole.next()).id).toBe(first.id);
    whole.close();
  });

  it('has only events of its workspace', async () => {
    const [own, other] = [await openWorkspace(), await openWorkspace()];
    const stream = await openStream(own.client, own.key);
    await other.advance();
    await own.advance();
    expect((await stream.next()).data.data).toMatchObject({ simulationId: own.id });
    stream.close();
  });

  it('continues when another replica of the notifier takes over', async () => {
    const { key, client, advance } = await openWorkspace();
    const stream = await openStream(client, key);
    const start = await fixture.system.interrupt('notifier');
    await advance();
    await start();
    expect((await stream.next()).data.data).toMatchObject({ turn: 1 });
    await advance();
    expect((await stream.next()).data.data).toMatchObject({ turn: 2 });
    stream.close();
  });

  it('ends with its key', async () => {
    const { key, client } = await openWorkspace();
    const stream = await openStream(client, key);
    await keys.revoke(key);
    expect(await stream.next()).toMatchObject({
      event: 'error',
      data: { error: { code: 'invalid_api_key' } },
    });
    expect(await stream.next()).toBeUndefined();
  });

  it('needs the scope webhooks or webhooks:read, and a valid id', async () => {
    const reader = await keys.makeKey(['webhooks:read']);
    (await openStream(createHttpClient(reader), reader)).close();
    const other = createHttpClient(await keys.makeKey(['gateway']));
    const refusal = { status: 403, code: 'insufficient_scope', param: 'webhooks' };
    expectNativeRefusal(await other.send(PATH), refusal);
    const headers = { 'x-api-key': reader.apiKey, 'last-event-id': 'a b' };
    const answer = await other.send(PATH, { headers });
    expectNativeRefusal(answer, { status: 400, code: 'invalid_request', param: 'Last-Event-ID' }, [
      { path: 'Last-Event-ID', message: expect.any(String) },
    ]);
  });
});
