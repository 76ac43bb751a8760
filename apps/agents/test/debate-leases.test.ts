import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';
import { LEASE_MS, begin, createConversation, debateIn } from './script-debate.ts';

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
    await begin(database.storage.debates, workspaceId, debateIn(conversationId), 0);
  };

  it('are acquired round-robin by workspace, oldest first', async () => {
    const [many, few] = [newId('ws'), newId('ws')];
    for (let left = 4; left > 0; left -= 1) await abandonDebate(many);
    for (let left = 2; left > 0; left -= 1) await abandonDebate(few);
    const taken: string[] = [];
    for (;;) {
      const leased = await database.storage.debates.acquire(LEASE_MS);
      if (!leased) break;
      taken.push(leased.workspaceId);
    }
    expect(taken).toEqual([many, few, many, few, many, many]);
  });
});
