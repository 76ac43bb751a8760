import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, HttpClient } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

const MEMORIES_PATH = '/v1/agents/{id}/memory';
const MEMORY_PATH = `${MEMORIES_PATH}/{memoryId}`;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

type Memory = {
  id: string;
  key: string;
  value: string;
  type: string;
  global: boolean;
  updatedAt: string;
};
type Revision = { revision: number; value: string; validFrom: string; validTo: string };
type Ids = { id?: string; memoryId?: string };

describe.each(TRANSPORTS)('memories of an agent, services over %s', (transport) => {
  let api: DocumentedApi;

  beforeAll(async () => {
    api = await openDocumentedApi({ transport });
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
  });

  const createClient: DocumentedApi['createClient'] = (scopes) => api.createClient(scopes);
  const call: DocumentedApi['call'] = (...args) => api.call(...args);
  const makeAgent = async (client: HttpClient, name: string): Promise<string> => {
    const { json } = await client.send('/v1/agents', { body: { name, systemPrompt: 'Be.' } });
    return (json as { agent: { id: string } }).agent.id;
  };
  const memoriesOf = ({ json }: Answer): Memory[] => (json as { memories: Memory[] }).memories;
  const saveMemories = async (client: HttpClient, id: string, body: object): Promise<Memory[]> => {
    const answer = await call(client, `POST ${MEMORIES_PATH}`, { id }, { body });
    expect(answer.status).toBe(201);
    return memoriesOf(answer);
  };
  const listMemories = async (client: HttpClient, id: string): Promise<Memory[]> =>
    memoriesOf(await call(client, `GET ${MEMORIES_PATH}`, { id }));
  const listRevisions = (client: HttpClient, ids: Ids): Promise<Answer> =>
    call(client, `GET ${MEMORY_PATH}/revisions`, ids);
  const keyAndValue = ({ key, value }: Memory): string => `${key}=${value}`;

  it('are created one at a time or in bulk, and listed newest first', async () => {
    const client = await createClient();
    const id = await makeAgent(client, 'Ann');
    const [city] = await saveMemories(client, id, { key: 'city', value: 'Paris', type: 'fact' });
    expect(city).toEqual({
      id: expect.stringMatching(/^mem_/),
      key: 'city',
      value: 'Paris',
      type: 'fact',
      global: false,
      source: 'api',
      createdAt: INSTANT,
      updatedAt: INSTANT,
    });
    const more = [
      { key: 'tone', value: 'short', type: 'preference' },
      { key: 'odd', value: 'x', type: 'rumour' },
    ];
    const [tone, odd] = await saveMemories(client, id, { memories: more });
    expect([tone!.type, odd!.type]).toEqual(['preference', 'note']);
    const list = await listMemories(client, id);
    expect(list.map(({ key }) => key).toSorted()).toEqual(['city', 'odd', 'tone']);
    expect(list.at(-1)).toEqual(city);
    const page = await client.send(`/v1/agents/${id}/memory?limit=2`);
    const { memories, nextCursor } = page.json as { memories: Memory[]; nextCursor: string };
    expect(memories).toEqual(list.slice(0, 2));
    const next = await client.send(`/v1/agents/${id}/memory?limit=2&cursor=${nextCursor}`);
    expect(next.json).toEqual({ memories: [city] });
  });

  it('are replaced by key, in any spelling and under concurrent writes', async () => {
    const client = await createClient();
    const id = await makeAgent(client, 'Ann');
    const [first] = await saveMemories(client, id, { key: 'home-town', value: 'Paris' });
    const [second] = await saveMemories(client, id, { key: 'Home Town', value: 'Rome' });
    expect(second!.id).toBe(first!.id);
    expect((await listMemories(client, id)).map(({ value }) => value)).toEqual(['Rome']);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        saveMemories(client, id, { key: 'race', value: `at ${index}` }),
      ),
    );
    const [race, ...others] = (await listMemories(client, id)).filter(({ key }) => key === 'race');
    expect(others).toEqual([]);
    // The history contains each superseded value once, and each interval ends when the next one
    // begins.
    const answer = await listRevisions(client, { id, memoryId: race!.id });
    const history = (answer.json as { revisions: Revision[] }).revisions.toReversed();
    expect(history.map(({ revision }) => revision)).toEqual(history.map((_, index) => index + 1));
    const values = [...history.map(({ value }) => value), race!.value];
    expect(values.toSorted()).toEqual(
      Array.from({ length: 50 }, (_, index) => `at ${index}`).toSorted(),
    );
    const endTimes = history.map(({ validTo }) => validTo);
    expect(history.slice(1).map(({ validFrom }) => validFrom)).toEqual(endTimes.slice(0, -1));
    expect(endTimes.at(-1)).toBe(race!.updatedAt);
  });

  it.each([
    ['a single memory', {}, ''],
    ['a list of memories', { memories: [{}, {}] }, 'memories[1].'],
  ])('are refused with the names of the invalid fields: %s', async (_name, template, prefix) => {
    const client = await createClient();
    const id = await makeAgent(client, 'Ann');
    const validMemory = { key: 'city', value: 'Rome' };
    for (const [param, invalidMemory] of [
      ['key', { ...validMemory, key: '!!!' }],
      ['key', { ...validMemory, key: 'a\ud800' }],
      ['key', { ...validMemory, key: '\ufdfa'.repeat(8) }],
      ['value', { ...validMemory, value: 'a\udc00' }],
      ['value', { ...validMemory, value: 7 }],
    ] as const) {
      const body =
        'memories' in template ? { memories: [validMemory, invalidMemory] } : invalidMemory;
      const { status, json } = await call(client, `POST ${MEMORIES_PATH}`, { id }, { body });
      const { error } = json as { error: { param: string; message: string } };
      expect([status, error.param]).toEqual([400, `${prefix}${param}`]);
      expect(error.message.startsWith(`${prefix}${param}`)).toBe(true);
    }
    expect(await listMemories(client, id)).toEqual([]);
  });

  it('are shared by all agents if global, and survive the agent that wrote them', async () => {
    const client = await createClient();
    const annId = await makeAgent(client, 'Ann');
    const bobId = await makeAgent(client, 'Bob');
    const [shared] = await saveMemories(client, annId, {
      key: 'city',
      value: 'Rome',
      global: true,
    });
    await saveMemories(client, annId, { key: 'own', value: 'Ann' });
    expect((await listMemories(client, bobId)).map(keyAndValue)).toEqual(['city=Rome']);
    expect((await listMemories(client, annId)).map(keyAndValue)).toEqual(['own=Ann', 'city=Rome']);
    await client.send(`/v1/agents/${annId}`, { method: 'DELETE' });
    expect(await listMemories(client, bobId)).toEqual([shared]);
    const ids = { id: bobId, memoryId: shared!.id };
    expect((await call(client, `DELETE ${MEMORY_PATH}`, ids)).status).toBe(204);
    expect(await listMemories(client, bobId)).toEqual([]);
  });

  it('are invisible to other workspaces and gone after deletion', async () => {
    const owner = await createClient();
    const stranger = await createClient();
    const id = await makeAgent(owner, 'Ann');
    const siblingId = await makeAgent(owner, 'Bob');
    const [{ id: memoryId }] = (await saveMemories(owner, id, { key: 'own', value: 'x' })) as [
      Memory,
    ];
    const expectNotFound = async (
      client: HttpClient,
      operation: string,
      ids: Ids,
    ): Promise<void> => {
      const init = operation.startsWith('POST') ? { body: { key: 'a', value: 'b' } } : {};
      const answer = await call(client, operation, ids, init);
      const { error } = answer.json as { error: { code: string } };
      expect([operation, answer.status, error.code]).toEqual([operation, 404, 'not_found']);
    };
    for (const operation of [
      `GET ${MEMORIES_PATH}`,
      `POST ${MEMORIES_PATH}`,
      `GET ${MEMORY_PATH}/revisions`,
      `DELETE ${MEMORY_PATH}`,
    ]) {
      await expectNotFound(stranger, operation, { id, memoryId });
      await expectNotFound(owner, operation, { id: 'agt_%00', memoryId });
    }
    await expectNotFound(owner, `GET ${MEMORY_PATH}/revisions`, { id: siblingId, memoryId });
    await expectNotFound(owner, `DELETE ${MEMORY_PATH}`, { id: siblingId, memoryId });
    await expectNotFound(owner, `DELETE ${MEMORY_PATH}`, { id, memoryId: 'mem_%00' });
    expect((await call(owner, `DELETE ${MEMORY_PATH}`, { id, memoryId })).status).toBe(204);
    await expectNotFound(owner, `DELETE ${MEMORY_PATH}`, { id, memoryId });
    await expectNotFound(owner, `GET ${MEMORY_PATH}/revisions`, { id, memoryId });
    expect(await listMemories(owner, id)).toEqual([]);
  });
});
