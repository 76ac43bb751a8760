import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, newId } from '@witan/service-kit';
import { createTestDatabase, openTestPostgres } from '@witan/testing';
import type { TestPostgres } from '@witan/testing';
import { openStorage } from '../src/storage/open-storage.ts';
import type { Storage } from '../src/storage/open-storage.ts';
import { SECRETS_KEY } from './open-agents.ts';
import { guarded } from './open-memories.ts';

const OWNER = { workspaceId: 'ws_away', agentId: 'agt_away' };
const { workspaceId, agentId } = OWNER;
const PAGE = { limit: 10 };
const TURN = { agentId, memories: [guarded('a', 'b')], shownMemories: [] };

describe('storage whose PostgreSQL was killed', () => {
  let server: TestPostgres;
  let storage: Storage;

  beforeAll(async () => {
    server = await openTestPostgres();
    const { urls } = await createTestDatabase(['agents'], { serverUrl: server.url });
    const log = createLog({ service: 'agents', level: 'silent' });
    const deps = { newId, clock: () => new Date(), secretsKey: SECRETS_KEY };
    storage = await openStorage(urls['agents']!, log, deps);
    const recalled = await storage.recall.all(workspaceId, agentId);
    expect(recalled.shownTo({ staysLocal: true })).toEqual([]);
    await server.kill();
  });
  afterAll(async () => {
    await storage[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  // Whoever has no reason is a bug to the edge, a 500; what has this one may be tried again.
  it.each<[string, (storage: Storage) => Promise<unknown>]>([
    ['recalls', ({ recall }) => recall.all(workspaceId, agentId)],
    ['recalls at once', ({ recall }) => ask(20, () => recall.all(workspaceId, agentId))],
    ['lists memories', ({ memories }) => memories.list(OWNER, PAGE)],
    ['saves memories', ({ saveMemories }) => saveMemories(workspaceId, TURN)],
    ['asks for the policy', ({ mayShareMemories }) => mayShareMemories(workspaceId)],
    ['finds an agent', ({ agents }) => agents.find(workspaceId, agentId)],
    ['finds a session', ({ sessions }) => sessions.find(workspaceId, agentId, 'ses_1')],
    ['loads a history', ({ sessions }) => sessions.loadHistory(workspaceId, agentId, 'ses_1', 9)],
    ['lists facts', ({ facts }) => facts.list(workspaceId, PAGE)],
  ])('says that it is not reachable to whoever %s', async (_name, call) => {
    await expect(call(storage)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });
});

const ask = <T>(times: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, work));
