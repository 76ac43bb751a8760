import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConversationService } from '@witan/contracts/services';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { createConversations } from '../src/domain/conversation/conversations.ts';
import type { Conversations } from '../src/domain/conversation/conversations.ts';
import { LeaseLost } from '../src/domain/debate/record/debate-store.ts';
import type { LeasedDebate } from '../src/domain/debate/record/debate-store.ts';
import { as, openAgents } from './open-agents.ts';
import { openMemories } from './open-memories.ts';
import type { TestMemories } from './open-memories.ts';
import {
  LEASE_MS,
  answered,
  begin,
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
  let memories: TestMemories;
  let conversations: Conversations;
  beforeAll(async () => {
    memories = await openMemories();
    const { conversations: store } = memories.storage;
    conversations = createConversations({ store, newId, clock: () => new Date() });
  });
  afterAll(async () => {
    await memories[Symbol.asyncDispose]();
  });

  const create = (workspaceId: string, title: string) =>
    conversations.create(workspaceId, { title, userId: 'usr_1' });
  const saveAll = async (held: LeasedDebate, steps = wholeDebate()): Promise<void> => {
    for (const step of steps) await memories.storage.debates.save(held, step);
  };
  const hold = async (steps = wholeDebate().slice(0, 5)) => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(memories.storage, workspaceId);
    const debate = debateIn(conversationId);
    const held = await begin(memories.storage.debates, workspaceId, debate);
    await saveAll(held, steps);
    return { workspaceId, conversationId, held };
  };
  /** Rows of a workspace, by table. */
  const countRows = async (workspaceId: string): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const sql = `SELECT FROM ${table} WHERE workspace_id = $1`;
      counts[table] = (await memories.query(sql, [workspaceId])).length;
    }
    return counts;
  };
  const nothing = Object.fromEntries(TABLES.map((table) => [table, 0]));

  it('are listed newest first, page by page', async () => {
    const workspaceId = newId('ws');
    const titles = ['a', 'b', 'c', 'd', 'e'];
    for (const title of titles) await create(workspaceId, title);
    const pages = [];
    let cursor = '';
    do {
      const page = await conversations.list(workspaceId, { limit: 2, cursor });
      pages.push(page.conversations.map(({ title }) => title));
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(pages).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect((await conversations.list(newId('ws'), { limit: 2, cursor: '' })).conversations).toEqual(
      [],
    );
    const [newest] = (await conversations.list(workspaceId, { limit: 1, cursor: '' }))
      .conversations;
    expect(newest).toMatchObject({ userId: 'usr_1', messageCount: 0 });
    expect(newest!.id).toMatch(/^cnv_/);
    for (const limit of [0, 501]) {
      const refused = conversations.list(workspaceId, { limit, cursor: '' });
      await expect(refused).rejects.toMatchObject({ fields: { param: 'limit' } });
    }
  });

  it('are served whole, with what was said, and to nobody else', async () => {
    const { workspaceId, conversationId, held } = await hold(wholeDebate());
    await using service = await openAgents(memories.databaseUrl);
    const client = service.clientOf(ConversationService);
    const answer = await client.getConversation({ conversationId }, as(workspaceId));
    expect(answer.conversation).toMatchObject({ title: 'Prices', userId: 'usr_1', workspaceId });
    expect(answer.messages.map(({ senderType }) => senderType)).toEqual([
      'user',
      ...Array.from({ length: 5 }, () => 'agent'),
      'synthesis',
    ]);
    expect(answer.messages[4]).toMatchObject({
      agentName: 'bob',
      roundNumber: 2,
      debateId: held.id,
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
    const listed = await client.listConversations({ limit: 10 }, as(workspaceId));
    expect(listed.conversations).toMatchObject([{ id: conversationId, messageCount: 7 }]);
    const stranger = as(newId('ws'));
    const refused = client.deleteConversation({ conversationId }, stranger);
    await expect(refused).rejects.toMatchObject(NOT_FOUND);
    await client.deleteConversation({ conversationId }, as(workspaceId));
    const draft = { title: 'Again', userId: 'usr_2' };
    const { conversation } = await client.createConversation(draft, as(workspaceId));
    const left = await client.listConversations({ limit: 10 }, as(workspaceId));
    expect(left.conversations).toEqual([conversation]);
  });

  it.each([
    ['nothing', ''],
    ['only spaces', ' \n '],
    ['more than 200 characters', 'x'.repeat(201)],
    ['NUL', 'a\0b'],
    ['half a character', 'a\ud800'],
  ])('refuse a title of %s', async (_, title) => {
    const refused = create(newId('ws'), title);
    await expect(refused).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      fields: { param: 'title' },
    });
  });

  it('are not there for other workspaces, nor are their debates', async () => {
    const { conversationId, held } = await hold();
    const stranger = newId('ws');
    const { debateArchive } = memories.storage;
    await expect(conversations.get(stranger, conversationId)).rejects.toMatchObject(NOT_FOUND);
    await expect(conversations.remove(stranger, conversationId)).rejects.toMatchObject(NOT_FOUND);
    expect(await debateArchive.load(stranger, held.id)).toBeUndefined();
    expect(await debateArchive.readEvents(stranger, held.id, 0)).toBeUndefined();
    // Whoever knows the lease of another workspace's debate holds nothing by it.
    const forged = { ...held, workspaceId: stranger };
    const { debates } = memories.storage;
    await expect(debates.save(forged, [answered(2, 'agt_x')])).rejects.toThrow(LeaseLost);
    expect(await debates.renew(forged, LEASE_MS)).toBe(false);
    expect(await debates.renew(held, LEASE_MS)).toBe(true);
    const client = new Client({ connectionString: memories.databaseUrl });
    await client.connect();
    for (const table of TABLES) {
      expect([table, (await client.query(`SELECT FROM ${table}`)).rows]).toEqual([table, []]);
    }
    await client.end();
  });

  it('go with everything that was said in them, also while a debate runs', async () => {
    const { workspaceId, conversationId, held } = await hold();
    const kept = await countRows(workspaceId);
    for (const table of TABLES) expect([table, kept[table]! > 0]).toEqual([table, true]);
    await conversations.remove(workspaceId, conversationId);
    expect(await countRows(workspaceId)).toEqual(nothing);
    const { debates, debateArchive } = memories.storage;
    expect(await debates.renew(held, LEASE_MS)).toBe(false);
    for (const step of wholeDebate()) {
      await expect(debates.save(held, step)).rejects.toThrow(LeaseLost);
    }
    expect(await debateArchive.readEvents(workspaceId, held.id, 0)).toBeUndefined();
    expect(await countRows(workspaceId)).toEqual(nothing);
    expect(
      await memories.query('SELECT FROM outbox WHERE workspace_id = $1', [workspaceId]),
    ).toEqual([]);
    await expect(conversations.remove(workspaceId, conversationId)).rejects.toMatchObject(
      NOT_FOUND,
    );
  });

  it('go first when a step is written meanwhile, and nobody waits in a circle', async () => {
    const { workspaceId, conversationId, held } = await hold(wholeDebate().slice(0, 6));
    await memories.query('BEGIN');
    await memories.query('SELECT FROM conversation WHERE id = $1 FOR UPDATE', [conversationId]);
    const [step] = wholeDebate().slice(6);
    const saving = memories.storage.debates.save(held, step!).catch((error: unknown) => error);
    await eventually(async () => {
      const waiting = await memories.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return waiting.length > 0;
    });
    await memories.query('DELETE FROM conversation WHERE id = $1', [conversationId]);
    await memories.query('COMMIT');
    expect(await saving).toBeInstanceOf(LeaseLost);
    expect(await countRows(workspaceId)).toEqual(nothing);
  });

  it('go whenever they are deleted', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => hold([])));
    const ends = opened.map(async ({ workspaceId, conversationId, held }, n) => {
      const running = saveAll(held).catch((error: unknown) => error);
      await eventually(async () => {
        const found = await memories.storage.debateArchive.load(workspaceId, held.id);
        return found!.lastSeq > n * 2 || found!.state === 'synthesized';
      });
      await conversations.remove(workspaceId, conversationId);
      return running;
    });
    for (const end of await Promise.all(ends)) {
      expect(end === undefined || end instanceof LeaseLost).toBe(true);
    }
    for (const { workspaceId } of opened) expect(await countRows(workspaceId)).toEqual(nothing);
  });

  it('are no panels: those go with their owner', async () => {
    const workspaceId = newId('ws');
    const { debates, debateArchive } = memories.storage;
    const panels = [];
    for (const [owner, key] of [
      ['sim_1', 'a'],
      ['sim_1', 'b'],
      ['sim_2', 'a'],
    ] as const) {
      panels.push(await begin(debates, workspaceId, panelOf(owner, key)));
    }
    await saveAll(panels[0]!);
    await debateArchive.deletePanels(newId('ws'), 'sim_1');
    expect(await debates.renew(panels[1]!, LEASE_MS)).toBe(true);
    await debateArchive.deletePanels(workspaceId, 'sim_1');
    const save = debates.save(panels[1]!, [answered(1, 'agt_ann')]);
    await expect(save).rejects.toThrow(LeaseLost);
    const left = { ...nothing, debate: 1, debate_event: 1 };
    expect(await countRows(workspaceId)).toEqual(left);
    // The key is free again.
    await begin(debates, workspaceId, panelOf('sim_1', 'a'));
  });
});
