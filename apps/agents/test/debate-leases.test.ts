import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { openMemories } from './open-memories.ts';
import type { TestMemories } from './open-memories.ts';
import { LEASE_MS, begin, createConversation, debateIn } from './script-debate.ts';

describe('debates that were left behind', () => {
  let memories: TestMemories;
  beforeAll(async () => {
    memories = await openMemories();
  });
  afterAll(async () => {
    await memories[Symbol.asyncDispose]();
  });

  const leave = async (workspaceId: string): Promise<void> => {
    const conversationId = await createConversation(memories.storage, workspaceId);
    await begin(memories.storage.debates, workspaceId, debateIn(conversationId), 0);
  };

  it('are taken up by turns of their workspaces, the oldest of each first', async () => {
    const [many, few] = [newId('ws'), newId('ws')];
    for (let left = 4; left > 0; left -= 1) await leave(many);
    for (let left = 2; left > 0; left -= 1) await leave(few);
    const taken: string[] = [];
    for (;;) {
      const held = await memories.storage.debates.acquire(LEASE_MS);
      if (!held) break;
      taken.push(held.workspaceId);
    }
    expect(taken).toEqual([many, few, many, few, many, many]);
  });
});
