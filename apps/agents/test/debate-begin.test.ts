import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import type { NewDebate } from '../src/debate/record/debate-store.ts';
import type { Storage } from '../src/open-storage.ts';
import { openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';
import {
  LEASE_MS,
  beginNewDebate,
  createConversation,
  debateIn,
  panelOf,
  roundStarted,
  synthesized,
} from './script-debate.ts';

const NOT_FOUND = { reason: 'NOT_FOUND' };
const RUNNING = { reason: 'CONFLICT', fields: { code: 'debate_running' } };
const CONVERSATION_FULL_ERROR = { reason: 'CONFLICT', fields: { code: 'conversation_full' } };
const KEY_REUSED_ERROR = { reason: 'CONFLICT', fields: { code: 'panel_key_reused' } };

describe('beginning a debate', () => {
  let database: TestStorage;
  let replicas: Storage[];
  beforeAll(async () => {
    database = await openTestStorage();
    replicas = [database.storage, await database.openReplica()];
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  /** Begins all debates concurrently, alternating between the two replicas. */
  const beginConcurrently = (workspaceId: string, debates: readonly NewDebate[]) =>
    Promise.allSettled(
      debates.map((debate, n) => replicas[n % 2]!.debates.begin(workspaceId, debate, LEASE_MS)),
    );

  it('succeeds for one of many concurrent debates of a conversation', async () => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(replicas[0]!, workspaceId);
    const debates = Array.from({ length: 20 }, () => debateIn(conversationId));
    const results = await beginConcurrently(workspaceId, debates);
    const refusals = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    );
    expect(refusals).toHaveLength(19);
    for (const refusal of refusals) expect(refusal).toMatchObject(RUNNING);
    const index = results.findIndex(({ status }) => status === 'fulfilled');
    const found = (await replicas[0]!.conversations.find(workspaceId, conversationId))!;
    expect(found.messages.map(({ debateId }) => debateId)).toEqual([debates[index]!.id]);
    expect(found.conversation.messageCount).toBe(1);
    const events = await replicas[0]!.debateArchive.readEvents(workspaceId, debates[index]!.id, 0);
    expect(events).toHaveLength(1);
  });

  it('is independent of other conversations', async () => {
    const workspaceId = newId('ws');
    const ids = await Promise.all(
      Array.from({ length: 5 }, () => createConversation(replicas[0]!, workspaceId)),
    );
    const results = await beginConcurrently(
      workspaceId,
      ids.map((id) => debateIn(id)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  });

  it('is possible after another debate has ended, until the conversation is full', async () => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(replicas[0]!, workspaceId);
    const { debates } = replicas[0]!;
    const leased = await beginNewDebate(debates, workspaceId, debateIn(conversationId));
    await debates.save(leased, [roundStarted(1), synthesized()]);
    const next = await beginNewDebate(debates, workspaceId, debateIn(conversationId));
    await debates.save(next, [synthesized()]);
    const sql = 'SELECT bytes::int AS bytes FROM conversation WHERE id = $1';
    const [{ bytes } = { bytes: 0 }] = await database.query<{ bytes: number }>(sql, [
      conversationId,
    ]);
    const found = (await replicas[0]!.conversations.find(workspaceId, conversationId))!;
    const sizes = found.messages.map(({ content }) => Buffer.byteLength(content));
    expect(bytes).toBe(sizes.reduce((sum, one) => sum + one));
    for (const fullState of ['message_count = 20000', 'message_count = 1, bytes = 25165824']) {
      await database.query(`UPDATE conversation SET ${fullState} WHERE id = $1`, [conversationId]);
      const rejectedDebate = beginNewDebate(debates, workspaceId, debateIn(conversationId));
      await expect(rejectedDebate).rejects.toMatchObject(CONVERSATION_FULL_ERROR);
    }
  });

  it('requires a conversation of the same workspace', async () => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(replicas[0]!, workspaceId);
    const { debates } = replicas[0]!;
    const foreign = beginNewDebate(debates, newId('ws'), debateIn(conversationId));
    await expect(foreign).rejects.toMatchObject(NOT_FOUND);
    const missing = beginNewDebate(debates, workspaceId, debateIn('cnv_nothing'));
    await expect(missing).rejects.toMatchObject(NOT_FOUND);
  });

  it('returns one panel to concurrent requests with the same key', async () => {
    const workspaceId = newId('ws');
    const panels = Array.from({ length: 12 }, () => panelOf('sim_1', 'turn 1'));
    const results = await beginConcurrently(workspaceId, panels);
    const answers = results.map((result) =>
      result.status === 'fulfilled' ? result.value : result.reason,
    );
    const index = answers.findIndex((answer) => answer.isNew);
    const others = answers.filter((_, n) => n !== index);
    expect(others).toEqual(others.map(() => ({ isNew: false, debateId: panels[index]!.id })));
    const other = panelOf('sim_1', 'turn 1', { fingerprint: 'f2' });
    const rejectedDebate = replicas[0]!.debates.begin(workspaceId, other, LEASE_MS);
    await expect(rejectedDebate).rejects.toMatchObject(KEY_REUSED_ERROR);
    // Another owner and another workspace can use the same key for a new panel.
    await beginNewDebate(replicas[0]!.debates, workspaceId, panelOf('sim_2', 'turn 1'));
    await beginNewDebate(replicas[0]!.debates, newId('ws'), panelOf('sim_1', 'turn 1'));
  });
});
