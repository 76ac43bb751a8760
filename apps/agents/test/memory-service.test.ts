import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { optionsFor, createAgent, openAgents } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

describe('the memory service', () => {
  let database: TestDatabase;
  let service: TestAgents;
  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    service = await openAgents(database.urls['agents']!);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  type MemoryInput = { key: string; value: string; type?: string; global?: boolean };
  const open = async () => {
    const workspaceId = newId('ws');
    const agentId = await createAgent(service, workspaceId);
    return {
      workspaceId,
      agentId,
      save: async (memories: MemoryInput[], ownerId = agentId) => {
        const request = { agentId: ownerId, memories };
        return (await service.memories.saveMemories(request, optionsFor(workspaceId))).memories;
      },
      list: (ownerId = agentId, page: { limit?: number; cursor?: string } = {}) =>
        service.memories.listMemories(
          { agentId: ownerId, limit: 100, ...page },
          optionsFor(workspaceId),
        ),
      remove: (memoryId: string, ownerId = agentId) =>
        service.memories.deleteMemory({ agentId: ownerId, memoryId }, optionsFor(workspaceId)),
    };
  };
  const shown = ({ key, value, type, global }: MemoryInput) => ({ key, value, type, global });

  it('upserts by key and returns memories in order; the last of duplicate keys wins', async () => {
    const { save, list } = await open();
    const saved = await save([
      { key: 'City', value: 'Berlin', type: 'fact' },
      { key: 'tone', value: 'brief', type: 'PREFERENCE' },
      { key: ' city! ', value: 'Paris', type: 'mood', global: true },
      { key: 'cITY', value: 'Oslo', type: 'fact' },
    ]);
    const expected = [
      { key: 'cITY', value: 'Oslo', type: 'fact', global: false },
      { key: 'tone', value: 'brief', type: 'preference', global: false },
      { key: 'city!', value: 'Paris', type: 'note', global: true },
    ];
    expect(saved.map(shown)).toEqual(expected);
    for (const { id, source, createdAt, updatedAt } of saved) {
      expect(id).toMatch(/^mem_/);
      expect(source).toBe('api');
      expect(updatedAt).toEqual(createdAt);
    }
    const { memories, nextCursor } = await list();
    expect(new Set(memories.map(({ id }) => id))).toEqual(new Set(saved.map(({ id }) => id)));
    expect(nextCursor).toBe('');
  });

  it('retains the id of a key and changes its timestamp only with its value', async () => {
    const { save } = await open();
    const [first] = await save([{ key: 'city', value: 'Berlin' }]);
    const [same] = await save([{ key: 'CITY', value: 'Berlin' }]);
    expect(same).toEqual(first);
    const [other] = await save([{ key: 'CITY', value: 'Oslo' }]);
    expect(other).toMatchObject({ id: first!.id, key: 'CITY', value: 'Oslo' });
    expect(other!.createdAt).toEqual(first!.createdAt);
    expect(other!.updatedAt).not.toEqual(first!.updatedAt);
  });

  it('lists own and global memories of an agent, newest first, in pages', async () => {
    const { workspaceId, save, list } = await open();
    const other = await createAgent(service, workspaceId, 'Bob');
    const request = ['a', 'b', 'c', 'd', 'e'].map((key) => ({ key, value: key }));
    for (const item of request) await save([{ ...item, global: item.key === 'b' }]);
    await save([{ key: 'b', value: 'of Bob' }], other);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await list(undefined, { limit: 2, cursor });
      expect(page.memories.length).toBeLessThanOrEqual(2);
      seen.push(...page.memories.map(({ key }) => key));
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a']);
    const { memories } = await list(other);
    // An agent's own memory replaces a global one with the same key in prompts, but the API lists
    // both.
    expect(memories.map(({ value, global }) => [value, global])).toEqual([
      ['of Bob', false],
      ['b', true],
    ]);
  });

  it('deletes an own memory, and a global one through any agent, once', async () => {
    const { workspaceId, save, list, remove } = await open();
    const other = await createAgent(service, workspaceId, 'Bob');
    const [own] = await save([{ key: 'own', value: '1' }]);
    const [global] = await save([{ key: 'global', value: '2', global: true }]);
    await expect(remove(own!.id, other)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await remove(own!.id);
    await remove(global!.id, other);
    expect((await list()).memories).toEqual([]);
    for (const { id } of [own!, global!]) {
      await expect(remove(id)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
  });

  it('deletes memories with their agent, except global ones', async () => {
    const { workspaceId, agentId, save, list } = await open();
    const other = await createAgent(service, workspaceId, 'Bob');
    await save([
      { key: 'own', value: '1' },
      { key: 'shared', value: '2', global: true },
    ]);
    await save([{ key: 'own', value: '3' }]);
    await service.agents.deleteAgent({ id: agentId }, optionsFor(workspaceId));
    await expect(list()).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(save([{ key: 'a', value: 'b' }])).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    expect((await list(other)).memories.map(({ key }) => key)).toEqual(['shared']);
  });

  it('hides memories from other workspaces', async () => {
    const mine = await open();
    const theirs = await open();
    const [own] = await mine.save([{ key: 'own', value: '1' }]);
    const [global] = await mine.save([{ key: 'shared', value: '2', global: true }]);
    expect((await theirs.list()).memories).toEqual([]);
    const foreignCalls = [
      theirs.list(mine.agentId),
      theirs.save([{ key: 'own', value: 'x' }], mine.agentId),
      theirs.save([{ key: 'shared', value: 'x', global: true }], mine.agentId),
      theirs.remove(own!.id),
      theirs.remove(own!.id, mine.agentId),
      theirs.remove(global!.id),
    ];
    for (const foreignCall of foreignCalls) {
      await expect(foreignCall).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
    expect((await mine.list()).memories.map(({ value }) => value)).toEqual(['2', '1']);
  });

  const valid = { key: 'key', value: 'value' };
  it.each<[string, MemoryInput[], string]>([
    ['no memories', [], 'memories'],
    ['101 memories', Array.from({ length: 101 }, () => valid), 'memories'],
    ['an empty key', [valid, { ...valid, key: '  ' }], 'memories[1].key'],
    ['a key without a word', [{ ...valid, key: '!?' }], 'memories[0].key'],
    ['a key that is too long', [{ ...valid, key: 'k'.repeat(129) }], 'memories[0].key'],
    ['a key with NUL', [{ ...valid, key: 'a\0' }], 'memories[0].key'],
    ['an empty value', [{ ...valid, value: ' \n' }], 'memories[0].value'],
    ['a value that is too long', [{ ...valid, value: 'v'.repeat(4_001) }], 'memories[0].value'],
    ['a value with NUL', [{ ...valid, value: 'a\0b' }], 'memories[0].value'],
    ['an unpaired surrogate', [{ ...valid, value: '\ud83d' }], 'memories[0].value'],
  ])('rejects %s and writes nothing', async (_name, memories, param) => {
    const { save, list } = await open();
    const refusal = { reason: 'INVALID_REQUEST', fields: { param } };
    await expect(save(memories)).rejects.toMatchObject(refusal);
    expect((await list()).memories).toEqual([]);
  });

  it('accepts keys and values of the maximum length, with any characters', async () => {
    const { save } = await open();
    const memories = [
      { key: 'k'.repeat(128), value: 'v'.repeat(4_000) },
      { key: "o'key ? \\ :x", value: `'"\\ ? $1 :y {} \u{1f600} ${'w'.repeat(3_000)}` },
    ];
    const saved = await save(memories);
    expect(saved.map(({ key, value }) => ({ key, value }))).toEqual(memories);
  });

  it.each([0, 501])('rejects a page size of %i', async (limit) => {
    const { list } = await open();
    const refusal = { reason: 'INVALID_REQUEST', fields: { param: 'limit' } };
    await expect(list(undefined, { limit })).rejects.toMatchObject(refusal);
  });

  it('limits an agent and a workspace to 2,000 memories each, but updates existing keys', async () => {
    const { workspaceId, save } = await open();
    const other = await createAgent(service, workspaceId, 'Bob');
    const full = { reason: 'CONFLICT', fields: { code: 'memory_limit_reached' } };
    for (const global of [false, true]) {
      for (let batch = 0; batch < 20; batch += 1) {
        await save(
          Array.from({ length: 100 }, (_, n) => ({ key: `k ${batch} ${n}`, value: '1', global })),
        );
      }
      const more = [
        { key: 'k 0 0', value: '2', global },
        { key: 'one more', value: '1', global },
      ];
      await expect(save(more)).rejects.toMatchObject(full);
      expect(await save([more[0]!])).toMatchObject([{ value: '2' }]);
    }
    await expect(
      save([{ key: 'one more', value: '1', global: true }], other),
    ).rejects.toMatchObject(full);
    await save([{ key: 'one more', value: '1' }], other);
  });
});
