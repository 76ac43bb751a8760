import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerWith } from '@witan/testing';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const WORKSPACE = '/v1/workspace';
const TAG = '<MEMORY key="office" type="fact" global="true">Lisbon</MEMORY>Noted.';

type WorkspaceView = { memory: { globalWrites: boolean } } & Record<string, unknown>;

describe.each(TRANSPORTS)('memory settings of a workspace, services over %s', (transport) => {
  let fixture: Fixture;
  let keys: Keys;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    keys = await openKeys(fixture.system);
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const createMember = async () => {
    const client = createHttpClient(await keys.makeKey());
    const send = async (method: 'GET' | 'PUT', body?: object): Promise<Answer> => {
      const answer = await client.send(WORKSPACE, { method, body });
      expectDocumented(answer, `${method} ${WORKSPACE}`);
      return answer;
    };
    const workspaceOf = ({ json }: Answer): WorkspaceView =>
      (json as { workspace: WorkspaceView }).workspace;
    return {
      client,
      send,
      put: async (body: object) => workspaceOf(await send('PUT', body)),
      get: async () => workspaceOf(await send('GET')),
    };
  };
  const makeAgent = async (client: HttpClient, name: string): Promise<string> => {
    const { json } = await client.send('/v1/agents', { body: { name, systemPrompt: 'Be.' } });
    return (json as { agent: { id: string } }).agent.id;
  };
  const memoriesOf = async (client: HttpClient, id: string): Promise<unknown[]> => {
    const { json } = await client.send(`/v1/agents/${id}/memory`);
    const { memories } = json as { memories: { value: string; global: boolean }[] };
    return memories.map(({ value, global }) => [value, global]);
  };

  it('allow global memories until they are disabled', async () => {
    const { put, get } = await createMember();
    expect((await get()).memory).toEqual({ globalWrites: true });
    expect((await put({ memory: { globalWrites: false } })).memory).toEqual({
      globalWrites: false,
    });
    expect((await get()).memory).toEqual({ globalWrites: false });
    expect((await (await createMember()).get()).memory).toEqual({ globalWrites: true });
    expect((await put({ memory: {} })).memory).toEqual({ globalWrites: true });
  });

  it('are independent of the other settings', async () => {
    const { put, get } = await createMember();
    const router = { full: { targets: [{ provider: 'openai', model: 'gpt-full' }] } };
    await put({ memory: { globalWrites: false } });
    await put({ name: 'Renamed', router });
    expect(await get()).toMatchObject({ name: 'Renamed', memory: { globalWrites: false }, router });
    await put({ memory: { globalWrites: true } });
    expect(await get()).toMatchObject({ name: 'Renamed', router });
    const shown = await get();
    expect(await put(shown)).toEqual(shown);
  });

  it.each([
    ['null', null, 'memory'],
    ['a word', { globalWrites: 'no' }, 'memory.globalWrites'],
    ['a number', { globalWrites: 0 }, 'memory.globalWrites'],
  ])('refuse %s, and change nothing', async (_name, memory, param) => {
    const { put, get, send } = await createMember();
    await put({ memory: { globalWrites: false } });
    const answer = await send('PUT', { name: 'Renamed', memory });
    const { error } = answer.json as { error: { code: string; param: string } };
    expect([answer.status, error.code, error.param]).toEqual([400, 'invalid_request', param]);
    expect(await get()).toMatchObject({ name: 'e2e', memory: { globalWrites: false } });
  });

  it('make global memories private to the agent while they are disabled', async () => {
    const { client, put } = await createMember();
    const ann = await makeAgent(client, 'Ann');
    const bob = await makeAgent(client, 'Bob');
    const chat = async (): Promise<void> => {
      fixture.provider.script(answerWith({ content: TAG }));
      await client.send(`/v1/agents/${ann}/chat`, { body: { message: 'Where to?' } });
    };
    await put({ memory: { globalWrites: false } });
    await chat();
    expect(await memoriesOf(client, ann)).toEqual([['Lisbon', false]]);
    expect(await memoriesOf(client, bob)).toEqual([]);
    const shared = { key: 'bank', value: 'closed', global: true };
    expect((await client.send(`/v1/agents/${ann}/memory`, { body: shared })).status).toBe(201);
    expect(await memoriesOf(client, bob)).toEqual([['closed', true]]);
    await put({ memory: { globalWrites: true } });
    await chat();
    expect(await memoriesOf(client, bob)).toEqual([
      ['Lisbon', true],
      ['closed', true],
    ]);
  });
});
