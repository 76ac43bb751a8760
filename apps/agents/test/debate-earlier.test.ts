import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { openMemories } from './open-memories.ts';
import type { TestMemories } from './open-memories.ts';
import {
  CONFIG,
  NASTY,
  begin,
  createConversation,
  debateIn,
  framed,
  roundStarted,
  synthesized,
} from './script-debate.ts';

describe('the debates of a conversation before one', () => {
  let memories: TestMemories;
  beforeAll(async () => {
    memories = await openMemories();
  });
  afterAll(async () => {
    await memories[Symbol.asyncDispose]();
  });

  /** Debates with these syntheses, one after the other. */
  const debateAll = async (contents: readonly string[], isSensitive = false) => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(memories.storage, workspaceId);
    const { debates } = memories.storage;
    for (const [place, content] of contents.entries()) {
      const debate = debateIn(conversationId, {
        question: `Question ${place}`,
        config: { ...CONFIG, isSensitive },
        // Clocks of replicas are not one.
        createdAt: new Date(1_790_000_000_000 - place * 1_000),
      });
      const held = await begin(debates, workspaceId, debate);
      await debates.save(held, [framed, roundStarted(1), synthesized({ content })]);
    }
    return (max: number, withSensitive = false, asked = workspaceId) =>
      memories.storage.conversations.findEarlier(asked, conversationId, {
        debateId: 'dbt_next',
        max,
        withSensitive,
      });
  };

  it('are the newest, oldest first', async () => {
    const findEarlier = await debateAll(['a', 'b', 'c']);
    expect(await findEarlier(2)).toEqual([
      { question: 'Question 1', synthesis: 'b' },
      { question: 'Question 2', synthesis: 'c' },
    ]);
    expect(await findEarlier(2, true, newId('ws'))).toEqual([]);
  });

  it('are read whatever signs models put into them', async () => {
    const findEarlier = await debateAll([NASTY]);
    expect(await findEarlier(1)).toEqual([{ question: 'Question 0', synthesis: NASTY }]);
  });

  it('stay on the machine when they were held there', async () => {
    const findEarlier = await debateAll(['a'], true);
    expect([await findEarlier(1), await findEarlier(1, true)]).toEqual([
      [],
      [{ question: 'Question 0', synthesis: 'a' }],
    ]);
  });
});
