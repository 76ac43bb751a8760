import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConversationService } from '@witan/contracts/services';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { createConversations } from '../src/debate/conversation/conversations.ts';
import type { Conversations } from '../src/debate/conversation/conversations.ts';
import { LeaseLostError } from '../src/debate/record/debate-store.ts';
import type { LeasedDebate } from '../src/debate/record/debate-store.ts';
import { optionsFor, openAgents } from './open-agents.ts';
import { openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';
import {
  LEASE_MS,
  answeredStep,
  beginNewDebate,
  createConversation,
  debateIn,
  panelOf,
  wholeDebate,
} from './script-debate.ts';

const NOT_FOUND = { reason: 'NOT_FOUND' };
const TABLES = [
  'conversation',
  'conversation_message',
  'debate',
  'debate_answer',
  'debate_event',
  'debate_round',
];

describe('conversations', () => {
  let database: TestStorage;
  let conversations: Conversations;
  beforeAll(async () => {
    database = await openTestStorage();
    const { conversations: store } = database.storage;
    conversations = createConversations({ store, newId, clock: () => new Date() });
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const create = (workspaceId: string, title: string) =>
    conversations.create(workspaceId, { title, userId: 'usr_1' });
  const saveAll = async (leased: LeasedDebate, steps = wholeDebate()): Promise<void> => {
    for (const step of steps) await database.storage.debates.save(leased, step);
  };
  const openDebate = async (steps = wholeDebate().slice(0, 5)) => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(database.storage, workspaceId);
    const debate = debateIn(conversationId);
    const leased = await beginNewDebate(database.storage.debates, workspaceId, debate);
    await saveAll(leased, steps);
    return { workspaceId, conversationId, leased };
  };
  const countRows = async (workspaceId: string): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const sql = `SELECT FROM ${table} WHERE workspace_id = $1`;
      counts[table] = (await database.query(sql, [workspaceId])).length;
    }
    return counts;
  };
  const emptyCounts = Object.fromEntries(TABLES.map((table) => [table, 0]));

  it('are listed newest first, page by page', async () => {
    const workspaceId = newId('ws');
    const titles = ['a', 'b', 'c', 'd', 'e'];
    for (const title of titles) await create(workspaceId, title);
    const pages = [];
    let cursor = '';
    do {
      const page = await conversations.list(workspaceId, { limit: 2, cursor });
      pages.push(page.items.map(({ title }) => title));
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(pages).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect((await conversations.list(newId('ws'), { limit: 2, cursor: '' })).items).toEqual([]);
    const [newest] = (await conversations.list(workspaceId, { limit: 1, cursor: '' })).items;
    expect(newest).toMatchObject({ userId: 'usr_1', messageCount: 0 });
    expect(newest!.id).toMatch(/^cnv_/);
    for (const limit of [0, 501]) {
      const refused = conversations.list(workspaceId, { limit, cursor: '' });
      await expect(refused).rejects.toMatchObject({ fields: { param: 'limit' } });
    }
  });

  it('are returned with all messages, to their own workspace only', async () => {
    const { workspaceId, conversationId, leased } = await openDebate(wholeDebate());
    await using service = await openAgents(database.databaseUrl);
    const client = service.clientOf(ConversationService);
    const answer = await client.getConversation({ conversationId }, optionsFor(workspaceId));
    expect(answer.conversation).toMatchObject({ title: 'Prices', userId: 'usr_1', workspaceId });
    expect(answer.messages.map(({ senderType }) => senderType)).toEqual([
      'user',
      ...Array.from({ length: 5 }, () => 'agent'),
      'synthesis',
    ]);
    expect(answer.messages[4]).toMatchObject({
      agentName: 'bob',
      roundNumber: 2,
      debateId: leased.id,
      stale: true,
      proofIds: ['pf_1', 'pf_2'],
      stances: [{ issueId: 'i1', stance: -0.5 }],
    });
    expect(answer.debates).toMatchObject([
      { messageId: answer.messages[0]!.id, roundNumber: 1, convergenceScore: 1 / 3 },
      {
        roundNumber: 2,
        report: { method: 'stance', blocs: [{ agentIds: ['agt_ann', 'agt_bob'] }] },
      },
    ]);
    const listed = await client.listConversations({ limit: 10 }, optionsFor(workspaceId));
    expect(listed.conversations).toMatchObject([{ id: conversationId, messageCount: 7 }]);
    const stranger = optionsFor(newId('ws'));
    const refused = client.deleteConversation({ conversationId }, stranger);
    await expect(refused).rejects.toMatchObject(NOT_FOUND);
    await client.deleteConversation({ conversationId }, optionsFor(workspaceId));
    const draft = { title: 'Again', userId: 'usr_2' };
    const { conversation } = await client.createConversation(draft, optionsFor(workspaceId));
    const left = await client.listConversations({ limit: 10 }, optionsFor(workspaceId));
    expect(left.conversations).toEqual([conversation]);
  });

  it.each([
    ['nothing', ''],
    ['only spaces', ' \n '],
    ['more than 200 characters', 'x'.repeat(201)],
    ['NUL', 'a\0b'],
    ['an unpaired surrogate', 'a\ud800'],
  ])('are rejected with a title of %s', async (_, title) => {
    const refused = create(newId('ws'), title);
    await expect(refused).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      fields: { param: 'title' },
    });
  });

  it('and their debates cannot be read or changed by other workspaces', async () => {
    const { conversationId, leased } = await openDebate();
    const stranger = newId('ws');
    const { debateArchive } = database.storage;
    await expect(conversations.get(stranger, conversationId)).rejects.toMatchObject(NOT_FOUND);
    await expect(conversations.remove(stranger, conversationId)).rejects.toMatchObject(NOT_FOUND);
    expect(await debateArchive.load(stranger, leased.id)).toBeUndefined();
    expect(await debateArchive.readEvents(stranger, leased.id, 0)).toBeUndefined();
    // A lease is valid only together with the workspace of its debate.
    const forgedLease = { ...leased, workspaceId: stranger };
    const { debates } = database.storage;
    await expect(debates.save(forgedLease, [answeredStep(2, 'agt_x')])).rejects.toThrow(
      LeaseLostError,
    );
    expect(await debates.renew(forgedLease, LEASE_MS)).toBe(false);
    expect(await debates.renew(leased, LEASE_MS)).toBe(true);
    const client = new Client({ connectionString: database.databaseUrl });
    await client.connect();
    for (const table of TABLES) {
      expect([table, (await client.query(`SELECT FROM ${table}`)).rows]).toEqual([table, []]);
    }
    await client.end();
  });

  it('are deleted with all their rows, even while a debate runs', async () => {
    const { workspaceId, conversationId, leased } = await openDebate();
    const storedCounts = await countRows(workspaceId);
    for (const table of TABLES) expect([table, storedCounts[table]! > 0]).toEqual([table, true]);
    await conversations.remove(workspaceId, conversationId);
    expect(await countRows(workspaceId)).toEqual(emptyCounts);
    const { debates, debateArchive } = database.storage;
    expect(await debates.renew(leased, LEASE_MS)).toBe(false);
    for (const step of wholeDebate()) {
      await expect(debates.save(leased, step)).rejects.toThrow(LeaseLostError);
    }
    expect(await debateArchive.readEvents(workspaceId, leased.id, 0)).toBeUndefined();
    expect(await countRows(workspaceId)).toEqual(emptyCounts);
    expect(
      await database.query('SELECT FROM outbox WHERE workspace_id = $1', [workspaceId]),
    ).toEqual([]);
    await expect(conversations.remove(workspaceId, conversationId)).rejects.toMatchObject(
      NOT_FOUND,
    );
  });

  it('do not deadlock if they are deleted while a step is written', async () => {
    const { workspaceId, conversationId, leased } = await openDebate(wholeDebate().slice(0, 6));
    await database.query('BEGIN');
    await database.query('SELECT FROM conversation WHERE id = $1 FOR UPDATE', [conversationId]);
    const [step] = wholeDebate().slice(6);
    const saving = database.storage.debates.save(leased, step!).catch((error: unknown) => error);
    await eventually(async () => {
      const waiting = await database.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return waiting.length > 0;
    });
    await database.query('DELETE FROM conversation WHERE id = $1', [conversationId]);
    await database.query('COMMIT');
    expect(await saving).toBeInstanceOf(LeaseLostError);
    expect(await countRows(workspaceId)).toEqual(emptyCounts);
  });

  it('can be deleted at any step of a debate', async () => {
    const openDebates = await Promise.all(Array.from({ length: 8 }, () => openDebate([])));
    const pendingEnds = openDebates.map(async ({ workspaceId, conversationId, leased }, n) => {
      const running = saveAll(leased).catch((error: unknown) => error);
      await eventually(async () => {
        const found = await database.storage.debateArchive.load(workspaceId, leased.id);
        return found!.lastSeq > n * 2 || found!.state === 'synthesized';
      });
      await conversations.remove(workspaceId, conversationId);
      return running;
    });
    for (const end of await Promise.all(pendingEnds)) {
      expect(end === undefined || end instanceof LeaseLostError).toBe(true);
    }
    for (const { workspaceId } of openDebates)
      expect(await countRows(workspaceId)).toEqual(emptyCounts);
  });

  it('do not include panels, which are deleted with their owner', async () => {
    const workspaceId = newId('ws');
    const { debates, debateArchive } = database.storage;
    const panels = [];
    for (const [owner, key] of [
      ['sim_1', 'a'],
      ['sim_1', 'b'],
      ['sim_2', 'a'],
    ] as const) {
      panels.push(await beginNewDebate(debates, workspaceId, panelOf(owner, key)));
    }
    await saveAll(panels[0]!);
    await debateArchive.deletePanels(newId('ws'), 'sim_1');
    expect(await debates.renew(panels[1]!, LEASE_MS)).toBe(true);
    await debateArchive.deletePanels(workspaceId, 'sim_1');
    const save = debates.save(panels[1]!, [answeredStep(1, 'agt_ann')]);
    await expect(save).rejects.toThrow(LeaseLostError);
    const left = { ...emptyCounts, debate: 1, debate_event: 1 };
    expect(await countRows(workspaceId)).toEqual(left);
    // The deletion frees the panel's key, so that a new panel can use it.
    await beginNewDebate(debates, workspaceId, panelOf('sim_1', 'a'));
  });
});
