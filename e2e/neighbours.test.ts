import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerWith, createGate, eventually, failWith } from '@witan/testing';
import { Client } from 'pg';
import { createHttpClient, RESPONSE_PING, RESPONSES } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openKeys } from './open-keys.ts';
import type { CreatedKey, Keys } from './open-keys.ts';

const MIB = 1024 * 1024;
const BODY_BYTES_MAX = 64 * MIB;
const STORED_BYTES_MAX = 200_000;
const BACKGROUND_MAX = 2;
const BACKGROUND = { ...RESPONSE_PING, background: true };
const LARGE_INPUT = 'x'.repeat(100_000);

/** What keeps one workspace from taking what another one needs. */
describe('the limits of a workspace', () => {
  let fixture: Fixture;
  let keys: Keys;
  let admin: Client;
  beforeAll(async () => {
    fixture = await openFixture({
      transport: 'grpc',
      env: {
        WITAN_BODY_BYTES_MAX: String(BODY_BYTES_MAX),
        WITAN_STORED_RESPONSE_BYTES_MAX: String(STORED_BYTES_MAX),
        WITAN_MAX_BACKGROUND_PER_WORKSPACE: String(BACKGROUND_MAX),
      },
    });
    keys = await openKeys(fixture.system);
    admin = new Client({ connectionString: fixture.system.databaseUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const respond = (client: HttpClient, body: object): Promise<Answer> =>
    client.send(RESPONSES, { body });
  const countRows = async ({ workspaceId }: CreatedKey): Promise<number> => {
    const sql =
      'SELECT count(*)::int AS rows FROM api_gateway.stored_response WHERE workspace_id = $1';
    return (await admin.query<{ rows: number }>(sql, [workspaceId])).rows[0]!.rows;
  };
  const untilEnded = async (client: HttpClient, { json }: Answer): Promise<{ status: string }> => {
    const path = `${RESPONSES}/${(json as { id: string }).id}`;
    const read = async () => (await client.send(path)).json as { status: string };
    await eventually(async () => (await read()).status !== 'queued', 'the end of the response');
    return read();
  };
  const codeOf = ({ json }: Answer): unknown => (json as { error: { code: string } }).error.code;

  it('refuse a call in the background that no provider can take, and store nothing', async () => {
    const key = await keys.makeKey();
    const client = createHttpClient(key);
    const local = { model: 'service-sensitive', input: 'ping' };
    const refused = await respond(client, { ...local, background: true });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect([refused.status, codeOf(refused)]).toEqual([
      (await respond(client, local)).status,
      codeOf(await respond(client, local)),
    ]);
    expect(await countRows(key)).toBe(0);
  });

  it('answer a call in the background before its provider does', async () => {
    const client = createHttpClient(await keys.makeKey());
    const gate = createGate();
    fixture.provider.script(answerWith({ content: ['Snow.'] }, { after: gate.pass() }));
    const queued = await respond(client, BACKGROUND);
    expect([queued.status, (queued.json as { status: string }).status]).toEqual([202, 'queued']);
    gate.open();
    expect(await untilEnded(client, queued)).toMatchObject({ status: 'completed' });
  });

  it('store of a failed call in the background its error, and not its input', async () => {
    const client = createHttpClient(await keys.makeKey());
    fixture.provider.script(failWith(400));
    const queued = await respond(client, BACKGROUND);
    expect(queued.status).toBe(202);
    expect(await untilEnded(client, queued)).toMatchObject({ status: 'failed' });
    const { id } = queued.json as { id: string };
    const items = await client.send(`${RESPONSES}/${id}/input_items`);
    expect(items.json).toMatchObject({ data: [] });
  });

  it('allow some calls in the background, to each workspace', async () => {
    const [client, other] = [await keys.makeKey(), await keys.makeKey()].map(createHttpClient);
    const gate = createGate();
    const start = async (caller: HttpClient): Promise<void> => {
      const before = fixture.calls().length;
      fixture.provider.script(answerWith({}, { after: gate.pass() }));
      expect((await respond(caller, BACKGROUND)).status).toBe(202);
      await eventually(async () => fixture.calls().length > before, 'the call of the provider');
    };
    for (let call = 0; call < BACKGROUND_MAX; call += 1) await start(client!);
    const refused = await respond(client!, BACKGROUND);
    expect([refused.status, codeOf(refused)]).toEqual([429, 'too_many_in_background']);
    expect(refused.headers.get('retry-after')).toBe('1');
    await start(other!);
    gate.open();
    const isFree = async (): Promise<boolean> =>
      (await respond(client!, BACKGROUND)).status === 202;
    await eventually(isFree, 'the end of a call');
  });

  it('limit the bytes of stored responses', async () => {
    const client = createHttpClient(await keys.makeKey());
    const large = { ...RESPONSE_PING, input: LARGE_INPUT };
    const first = await respond(client, { ...large, background: true });
    expect(first.status).toBe(202);
    await untilEnded(client, first);
    const refused = await respond(client, { ...large, background: true });
    expect([refused.status, codeOf(refused)]).toEqual([429, 'stored_responses_full']);
    expect(refused.headers.get('retry-after')).toBe('3600');
    const sent = await respond(client, large);
    expect([sent.status, (sent.json as { store: boolean }).store]).toEqual([200, false]);
    await client.send(`${RESPONSES}/${(first.json as { id: string }).id}`, { method: 'DELETE' });
    expect((await respond(client, { ...large, background: true })).status).toBe(202);
  });

  it('leave memory for the bodies of another workspace', async () => {
    const [key, other] = [await keys.makeKey(), await keys.makeKey()];
    const socket = await announceBody(key, BODY_BYTES_MAX / 2);
    const isFull = async (): Promise<boolean> => {
      const refused = await respond(createHttpClient(key), RESPONSE_PING);
      return refused.status === 429 && codeOf(refused) === 'too_many_uploads';
    };
    await eventually(isFull, 'the memory of the announced body');
    expect((await respond(createHttpClient(other), RESPONSE_PING)).status).toBe(200);
    socket.destroy();
    const isFree = async (): Promise<boolean> =>
      (await respond(createHttpClient(key), RESPONSE_PING)).status === 200;
    await eventually(isFree, 'the release of the memory');
  });

  /** Begins a call with a body that is never sent. */
  const announceBody = async ({ apiKey }: CreatedKey, bytes: number): Promise<Socket> => {
    const { port } = new URL(fixture.system.baseUrl);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST ${RESPONSES} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`,
    );
    return socket;
  };
});
