import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { as, createAgent, openAgents } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

describe('what the answers of a workspace may write', () => {
  let database: TestDatabase;
  let replicas: TestAgents[];
  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    replicas = [await openAgents(database.urls['agents']!)];
    replicas.push(await openAgents(database.urls['agents']!));
  });
  afterAll(async () => {
    for (const replica of replicas) await replica[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const get = async (workspaceId: string): Promise<boolean | undefined> => {
    const { policy } = await replicas[1]!.memories.getMemoryPolicy({}, as(workspaceId));
    return policy?.globalWrites;
  };
  const set = async (workspaceId: string, globalWrites: boolean): Promise<unknown> => {
    const wanted = { policy: { globalWrites } };
    const { policy } = await replicas[0]!.memories.setMemoryPolicy(wanted, as(workspaceId));
    return policy?.globalWrites;
  };

  it('is everything until it is said otherwise, and then what was said last', async () => {
    const workspaceId = newId('ws');
    expect(await get(workspaceId)).toBe(true);
    for (const wanted of [false, false, true, false]) {
      expect(await set(workspaceId, wanted)).toBe(wanted);
      expect(await get(workspaceId)).toBe(wanted);
    }
    expect(await get(newId('ws'))).toBe(true);
  });

  it('is not taken from a request that says nothing', async () => {
    const workspaceId = newId('ws');
    await set(workspaceId, false);
    const empty = replicas[0]!.memories.setMemoryPolicy({}, as(workspaceId));
    await expect(empty).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
    expect(await get(workspaceId)).toBe(false);
  });

  it('leaves callers of the API their global memories', async () => {
    const workspaceId = newId('ws');
    const service = replicas[0]!;
    const agentId = await createAgent(service, workspaceId);
    await set(workspaceId, false);
    const memories = [{ key: 'city', value: 'Oslo', global: true }];
    const saved = await service.memories.saveMemories({ agentId, memories }, as(workspaceId));
    expect(saved.memories).toMatchObject([{ key: 'city', global: true }]);
  });
});
