import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { optionsFor, createAgent, openAgents } from './open-agents.ts';
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
    const { policy } = await replicas[1]!.memories.getMemoryPolicy({}, optionsFor(workspaceId));
    return policy?.globalWrites;
  };
  const set = async (workspaceId: string, globalWrites: boolean): Promise<unknown> => {
    const request = { policy: { globalWrites } };
    const { policy } = await replicas[0]!.memories.setMemoryPolicy(
      request,
      optionsFor(workspaceId),
    );
    return policy?.globalWrites;
  };

  it('allows global writes by default and can be changed', async () => {
    const workspaceId = newId('ws');
    expect(await get(workspaceId)).toBe(true);
    for (const globalWrites of [false, false, true, false]) {
      expect(await set(workspaceId, globalWrites)).toBe(globalWrites);
      expect(await get(workspaceId)).toBe(globalWrites);
    }
    expect(await get(newId('ws'))).toBe(true);
  });

  it('cannot be set by an empty request', async () => {
    const workspaceId = newId('ws');
    await set(workspaceId, false);
    const empty = replicas[0]!.memories.setMemoryPolicy({}, optionsFor(workspaceId));
    await expect(empty).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
    expect(await get(workspaceId)).toBe(false);
  });

  it('does not restrict global memories written through the API', async () => {
    const workspaceId = newId('ws');
    const service = replicas[0]!;
    const agentId = await createAgent(service, workspaceId);
    await set(workspaceId, false);
    const memories = [{ key: 'city', value: 'Oslo', global: true }];
    const saved = await service.memories.saveMemories(
      { agentId, memories },
      optionsFor(workspaceId),
    );
    expect(saved.memories).toMatchObject([{ key: 'city', global: true }]);
  });
});
