import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';
import {
  CONFIG,
  UNUSUAL_TEXT,
  beginNewDebate,
  createConversation,
  debateIn,
  framedStep,
  roundStarted,
  synthesized,
} from './script-debate.ts';

describe('earlier debates of a conversation', () => {
  let database: TestStorage;
  beforeAll(async () => {
    database = await openTestStorage();
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const debateInTurn = async (contents: readonly string[], isSensitive = false) => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(database.storage, workspaceId);
    const { debates } = database.storage;
    for (const [index, content] of contents.entries()) {
      const debate = debateIn(conversationId, {
        question: `Question ${index}`,
        config: { ...CONFIG, isSensitive },
        // Later debates have earlier times, which can happen because the clocks of replicas differ.
        createdAt: new Date(1_790_000_000_000 - index * 1_000),
      });
      const leased = await beginNewDebate(debates, workspaceId, debate);
      await debates.save(leased, [framedStep, roundStarted(1), synthesized({ content })]);
    }
    return (max: number, withSensitive = false, askedWorkspaceId = workspaceId) =>
      database.storage.conversations.findEarlier(askedWorkspaceId, conversationId, {
        debateId: 'dbt_next',
        max,
        withSensitive,
      });
  };

  it('are the latest ones, oldest first', async () => {
    const findEarlier = await debateInTurn(['a', 'b', 'c']);
    expect(await findEarlier(2)).toEqual([
      { question: 'Question 1', synthesis: 'b' },
      { question: 'Question 2', synthesis: 'c' },
    ]);
    expect(await findEarlier(2, true, newId('ws'))).toEqual([]);
  });

  it('are returned unchanged with any characters', async () => {
    const findEarlier = await debateInTurn([UNUSUAL_TEXT]);
    expect(await findEarlier(1)).toEqual([{ question: 'Question 0', synthesis: UNUSUAL_TEXT }]);
  });

  it('are returned to local-only debates only if they are local-only', async () => {
    const findEarlier = await debateInTurn(['a'], true);
    expect([await findEarlier(1), await findEarlier(1, true)]).toEqual([
      [],
      [{ question: 'Question 0', synthesis: 'a' }],
    ]);
  });
});
