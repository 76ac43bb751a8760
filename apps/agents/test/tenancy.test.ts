import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sourceOfChat } from '../src/domain/fact/fact.ts';
import { guarded, openMemories } from './open-memories.ts';
import type { TestMemories } from './open-memories.ts';

/**
 * Tables of no workspace: that of the migrations, and the index of passages, whose scope is part of
 * what it looks up (0003-knowledge). Whoever adds one says here why.
 */
const UNSCOPED = ['migration', 'knowledge_entry', 'knowledge_base'];

describe('what a workspace keeps', () => {
  let memories: TestMemories;
  beforeAll(async () => {
    memories = await openMemories();
  });
  afterAll(async () => {
    await memories[Symbol.asyncDispose]();
  });

  const readTables = async (): Promise<string[]> => {
    const rows = await memories.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'agents'::regnamespace
         AND relkind = 'r' AND relname <> ALL ($1) ORDER BY relname`,
      [UNSCOPED],
    );
    return rows.map(({ name }) => name);
  };
  /** As the service itself, but without any scope. */
  const asService = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: memories.databaseUrl });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  /** An agent that left something in every table that knows agents; a memory of it is global. */
  const fill = async () => {
    const owner = await memories.createOwner();
    const { workspaceId, agentId } = owner;
    const { storage } = memories;
    const marks = { isLocalOnly: false, isTainted: false };
    const base = {
      agentName: 'Ann',
      question: 'q',
      answer: 'a',
      proofIds: [],
      shownMemories: [],
      ...marks,
    };
    for (const value of ['old', 'new']) {
      const tags = [guarded('own', value), guarded('shared', value, { isGlobal: true })];
      const title = value === 'old' ? { newTitle: 'Chat' } : {};
      const turn = { ...base, ...title, agentId, sessionId: `ses_${agentId}`, memories: tags };
      await storage.sessions.saveTurn(workspaceId, turn);
    }
    const draft = { id: `fct_${agentId}`, category: 'c', key: 'k', value: 'v', confidence: 1 };
    const source = sourceOfChat(agentId);
    await storage.facts.upsert(workspaceId, { source, drafts: [draft], agentId });
    await storage.memoryPolicies.set(workspaceId, { globalWrites: true });
    return owner;
  };

  it('stands under row-level security in every table, of the owner too', async () => {
    const open = await memories.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'agents'::regnamespace
         AND relkind = 'r' AND relname <> ALL ($1)
         AND NOT (relrowsecurity AND relforcerowsecurity)`,
      [UNSCOPED],
    );
    expect(open).toEqual([]);
    const trusted = await memories.query(
      `SELECT proname FROM pg_proc WHERE pronamespace = 'agents'::regnamespace AND prosecdef`,
    );
    expect(trusted).toEqual([]);
    const { rows } = await asService((client) =>
      client.query('SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user'),
    );
    expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false }]);
  });

  it('is not seen without a scope, and in none but its own', async () => {
    const { workspaceId, agentId } = await fill();
    const stranger = await memories.createOwner();
    await asService(async (client) => {
      for (const table of await readTables()) {
        const { rows } = await client.query(`SELECT FROM ${table}`);
        expect([table, rows]).toEqual([table, []]);
      }
      // The function sets the scope that it is told, for its own statements alone.
      const recall = async (workspace: string): Promise<number> => {
        const sql = 'SELECT FROM recall_memories($1, $2)';
        return (await client.query(sql, [workspace, agentId])).rows.length;
      };
      expect([await recall(workspaceId), await recall(stranger.workspaceId)]).toEqual([2, 0]);
      expect((await client.query('SELECT FROM memory')).rows).toEqual([]);
    });
    const { recall } = memories.storage;
    const others = await recall.all(stranger.workspaceId, stranger.agentId);
    expect(others.shownTo({ staysLocal: true })).toEqual([]);
  });

  it('forgets an agent wholly; what the workspace learnt from it stays', async () => {
    const { workspaceId, agentId } = await fill();
    const other = await memories.createOwner(workspaceId);
    expect(await memories.storage.agents.delete(workspaceId, agentId)).toBe(true);
    for (const table of await readTables()) {
      // A global memory still says in which session it was learnt.
      const sql = `SELECT FROM ${table} AS row
        WHERE (to_jsonb(row) - 'session_id')::text LIKE '%' || $1 || '%'`;
      expect([table, await memories.query(sql, [agentId])]).toEqual([table, []]);
    }
    const messages = 'SELECT FROM message WHERE workspace_id = $1';
    expect(await memories.query(messages, [workspaceId])).toEqual([]);
    const left = await memories.query(
      'SELECT key, value FROM memory WHERE workspace_id = $1 ORDER BY key',
      [workspaceId],
    );
    expect(left).toEqual([{ key: 'shared', value: 'new' }]);
    const revisions = 'SELECT key FROM memory_revision WHERE workspace_id = $1';
    expect(await memories.query(revisions, [workspaceId])).toEqual([{ key: 'shared' }]);
    const known = await memories.storage.recall.all(workspaceId, other.agentId);
    const shown = known.shownTo({ staysLocal: false });
    expect(shown.map(({ value }) => value)).toEqual(['new']);
  });
});
