import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { FactService } from '@witan/contracts/services';
import { createLog, newId } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { sourceOfChat } from '../src/agent/agent.ts';
import type { FactDraft } from '../src/extraction/facts.ts';
import { openStorage } from '../src/open-storage.ts';
import type { Storage } from '../src/open-storage.ts';
import { optionsFor, createAgent, openAgents, SECRETS_KEY } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

const NOT_FOUND = { reason: 'NOT_FOUND' };

const draft = (key: string, more: Partial<FactDraft> = {}): FactDraft => ({
  id: newId('fct'),
  category: 'company',
  key,
  value: 'x',
  confidence: 0.9,
  ...more,
});

describe('facts', () => {
  let database: TestDatabase;
  let storage: Storage;
  let running: TestAgents;
  let facts: Client<typeof FactService>;
  let workspaces = 0;

  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    running = await openAgents(database.urls.agents!);
    const log = createLog({ service: 'agents', level: 'silent' });
    const clock = (): Date => new Date();
    storage = await openStorage(database.urls.agents!, log, {
      newId,
      clock,
      secretsKey: SECRETS_KEY,
    });
    facts = running.clientOf(FactService);
  });
  afterAll(async () => {
    await storage[Symbol.asyncDispose]();
    await running[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const newWorkspace = (): string => `ws_facts${(workspaces += 1)}`;
  const save = (workspaceId: string, drafts: FactDraft[], source = 'crm', agentId?: string) =>
    storage.facts.upsert(workspaceId, { source, drafts, ...(agentId ? { agentId } : {}) });
  const list = async (workspaceId: string, more: object = {}) =>
    (await facts.listFacts({ limit: 100, ...more }, optionsFor(workspaceId))).facts;
  const keysOf = async (workspaceId: string, more?: object): Promise<string[]> =>
    (await list(workspaceId, more)).map(({ key }) => key);

  it('are returned as extracted', async () => {
    const workspaceId = newWorkspace();
    const saved = draft('employees', { value: '120 \'people\' ? {"a":1}', confidence: 0.35 });
    await save(workspaceId, [saved]);
    const [fact] = await list(workspaceId);
    const { createdAt, $typeName: _type, ...factFields } = fact!;
    expect(factFields).toEqual({ ...saved, source: 'crm' });
    expect(Date.now() - timestampDate(createdAt!).getTime()).toBeLessThan(60_000);
    const { fact: loadedFact } = await facts.getFact({ id: saved.id }, optionsFor(workspaceId));
    expect(loadedFact).toEqual(fact);
  });

  it('are updated in place and keep their id and creation time', async () => {
    const workspaceId = newWorkspace();
    await save(workspaceId, [draft('a', { id: 'fct_first', value: 'old' })]);
    const [before] = await list(workspaceId);
    await save(workspaceId, [draft('a', { value: 'new', confidence: 0.1 })]);
    expect(await list(workspaceId)).toEqual([{ ...before, value: 'new', confidence: 0.1 }]);
  });

  it('are distinct per source, category and workspace', async () => {
    const [workspaceId, other] = [newWorkspace(), newWorkspace()];
    await save(workspaceId, [draft('a'), draft('a', { category: 'goal' }), draft('A')]);
    await save(workspaceId, [draft('a')], 'mail');
    await save(other, [draft('a')]);
    expect(await list(workspaceId)).toHaveLength(4);
    expect(await list(other)).toHaveLength(1);
  });

  it('remain a single row after fifty concurrent writes of one key', async () => {
    const workspaceId = newWorkspace();
    const writes = Array.from({ length: 50 }, (_, index) => [draft('a', { value: `${index}` })]);
    await Promise.all(writes.map((drafts) => save(workspaceId, drafts)));
    expect(await list(workspaceId)).toHaveLength(1);
  });

  it('do not deadlock if batches overlap in another order', async () => {
    const workspaceId = newWorkspace();
    const keys = Array.from({ length: 30 }, (_, index) => `k${index}`);
    const batches = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? keys : keys.toReversed()).map((key) => draft(key)),
    );
    await Promise.all(batches.map((batch) => save(workspaceId, batch)));
    expect(await list(workspaceId)).toHaveLength(keys.length);
  });

  it('are listed newest first, by source and category, up to the limit', async () => {
    const workspaceId = newWorkspace();
    await save(workspaceId, [draft('first')]);
    await save(workspaceId, [draft('second', { category: 'goal' })]);
    await save(workspaceId, [draft('third')], 'mail');
    await save(workspaceId, [draft('fourth', { category: 'goal' })], 'mail');
    expect(await keysOf(workspaceId)).toEqual(['fourth', 'third', 'second', 'first']);
    expect(await keysOf(workspaceId, { limit: 2 })).toEqual(['fourth', 'third']);
    expect(await keysOf(workspaceId, { source: 'mail' })).toEqual(['fourth', 'third']);
    expect(await keysOf(workspaceId, { category: 'goal' })).toEqual(['fourth', 'second']);
    const both = { source: 'mail', category: 'goal' };
    expect(await keysOf(workspaceId, both)).toEqual(['fourth']);
    expect(await keysOf(workspaceId, { source: 'a\0' })).toEqual([]);
  });

  it.each([0, 501])('are not listed with a limit of %d', async (limit) => {
    const refusal = { reason: 'INVALID_REQUEST', fields: { param: 'limit' } };
    await expect(list(newWorkspace(), { limit })).rejects.toMatchObject(refusal);
  });

  it('can be deleted once, by their own workspace only', async () => {
    const workspaceId = newWorkspace();
    const saved = draft('a');
    await save(workspaceId, [saved]);
    const stranger = optionsFor(newWorkspace());
    const own = optionsFor(workspaceId);
    await expect(facts.getFact(saved, stranger)).rejects.toMatchObject(NOT_FOUND);
    await expect(facts.deleteFact(saved, stranger)).rejects.toMatchObject(NOT_FOUND);
    await facts.deleteFact({ id: saved.id }, own);
    await expect(facts.deleteFact(saved, own)).rejects.toMatchObject(NOT_FOUND);
    await expect(facts.getFact(saved, own)).rejects.toMatchObject(NOT_FOUND);
    expect(await list(workspaceId)).toEqual([]);
  });

  it('are deleted with their agent, and none is added afterwards', async () => {
    const workspaceId = newWorkspace();
    const agentId = await createAgent(running, workspaceId);
    const source = sourceOfChat(agentId);
    await save(workspaceId, [draft('a')], source, agentId);
    await save(workspaceId, [draft('b')]);
    expect(await keysOf(workspaceId)).toEqual(['b', 'a']);
    await running.agents.deleteAgent({ id: agentId }, optionsFor(workspaceId));
    await save(workspaceId, [draft('c')], source, agentId);
    expect(await keysOf(workspaceId)).toEqual(['b']);
  });
});
