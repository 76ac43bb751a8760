import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { as, createAgent, openAgents } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

describe('the memory policy of a workspace', () => {
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

  it('allows global writes by default and can be changed', async () => {
    const workspaceId = newId('ws');
    expect(await get(workspaceId)).toBe(true);
    for (const wanted of [false, false, true, false]) {
      expect(await set(workspaceId, wanted)).toBe(wanted);
      expect(await get(workspaceId)).toBe(wanted);
    }
    expect(await get(newId('ws'))).toBe(true);
  });

  it('cannot be set by an empty request', async () => {
    const workspaceId = newId('ws');
    await set(workspaceId, false);
    const empty = replicas[0]!.memories.setMemoryPolicy({}, as(workspaceId));
    await expect(empty).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
    expect(await get(workspaceId)).toBe(false);
  });

  it('does not restrict global memories written through the API', async () => {
    const workspaceId = newId('ws');
    const service = replicas[0]!;
    const agentId = await createAgent(service, workspaceId);
    await set(workspaceId, false);
    const memories = [{ key: 'city', value: 'Oslo', global: true }];
    const saved = await service.memories.saveMemories({ agentId, memories }, as(workspaceId));
    expect(saved.memories).toMatchObject([{ key: 'city', global: true }]);
  });
});
