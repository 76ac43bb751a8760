import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, newId } from '@witan/service-kit';
import { createTestDatabase, openTestPostgres } from '@witan/testing';
import type { TestPostgres } from '@witan/testing';
import { openStorage } from '../src/open-storage.ts';
import type { Storage } from '../src/open-storage.ts';
import { SECRETS_KEY } from './open-agents.ts';
import { acceptedMemory } from './open-test-storage.ts';

const OWNER = { workspaceId: 'ws_away', agentId: 'agt_away' };
const { workspaceId, agentId } = OWNER;
const PAGE = { limit: 10 };
const TURN = { agentId, memories: [acceptedMemory('a', 'b')], shownMemories: [] };

describe('storage after PostgreSQL was killed', () => {
  let server: TestPostgres;
  let storage: Storage;

  beforeAll(async () => {
    server = await openTestPostgres();
    const { urls } = await createTestDatabase(['agents'], { serverUrl: server.url });
    const log = createLog({ service: 'agents', level: 'silent' });
    const deps = { newId, clock: () => new Date(), secretsKey: SECRETS_KEY };
    storage = await openStorage(urls['agents']!, log, deps);
    const recalled = await storage.recall.all(workspaceId, agentId);
    expect(recalled.visibleTo({ staysLocal: true })).toEqual([]);
    await server.kill();
  });
  afterAll(async () => {
    await storage[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  // Every call must reject with UNAVAILABLE, so that the client retries; an error of the driver
  // would become a 500.
  it.each<[string, (storage: Storage) => Promise<unknown>]>([
    ['recalling memories', ({ recall }) => recall.all(workspaceId, agentId)],
    [
      'recalling memories concurrently',
      ({ recall }) => repeatConcurrently(20, () => recall.all(workspaceId, agentId)),
    ],
    ['listing memories', ({ memories }) => memories.list(OWNER, PAGE)],
    ['saving memories', ({ saveMemories }) => saveMemories(workspaceId, TURN)],
    ['reading the memory policy', ({ memoryPolicies }) => memoryPolicies.get(workspaceId)],
    ['finding an agent', ({ agents }) => agents.find(workspaceId, agentId)],
    ['finding a session', ({ sessions }) => sessions.find(workspaceId, agentId, 'ses_1')],
    ['loading a history', ({ sessions }) => sessions.loadHistory(workspaceId, agentId, 'ses_1', 9)],
    ['listing facts', ({ facts }) => facts.list(workspaceId, PAGE)],
  ])('rejects %s with UNAVAILABLE', async (_name, call) => {
    await expect(call(storage)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });
});

const repeatConcurrently = <T>(times: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, work));
