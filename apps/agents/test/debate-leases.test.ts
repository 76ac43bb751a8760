import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';
import { LEASE_MS, beginNewDebate, createConversation, debateIn } from './script-debate.ts';

describe('debates with an expired lease', () => {
  let database: TestStorage;
  beforeAll(async () => {
    database = await openTestStorage();
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const abandonDebate = async (workspaceId: string): Promise<void> => {
    const conversationId = await createConversation(database.storage, workspaceId);
    await beginNewDebate(database.storage.debates, workspaceId, debateIn(conversationId), 0);
  };

  it('are acquired round-robin by workspace, oldest first', async () => {
    const [busyWorkspaceId, quietWorkspaceId] = [newId('ws'), newId('ws')];
    for (let left = 4; left > 0; left -= 1) await abandonDebate(busyWorkspaceId);
    for (let left = 2; left > 0; left -= 1) await abandonDebate(quietWorkspaceId);
    const acquiredWorkspaceIds: string[] = [];
    for (;;) {
      const leased = await database.storage.debates.acquire(LEASE_MS);
      if (!leased) break;
      acquiredWorkspaceIds.push(leased.workspaceId);
    }
    expect(acquiredWorkspaceIds).toEqual([
      busyWorkspaceId,
      quietWorkspaceId,
      busyWorkspaceId,
      quietWorkspaceId,
      busyWorkspaceId,
      busyWorkspaceId,
    ]);
  });
});
