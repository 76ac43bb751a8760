import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sourceOfChat } from '../src/agent/agent.ts';
import { acceptedMemory, openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';

/**
 * Tables without row-level security: the applied migrations, and the search index for the reason in
 * `0003-knowledge.ts`. A table that is added to this list needs a reason, too.
 */
const UNSCOPED_TABLES = ['migration', 'knowledge_entry', 'knowledge_base'];

describe('the data of a workspace', () => {
  let database: TestStorage;
  beforeAll(async () => {
    database = await openTestStorage();
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  const readTables = async (): Promise<string[]> => {
    const rows = await database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'agents'::regnamespace
         AND relkind = 'r' AND relname <> ALL ($1) ORDER BY relname`,
      [UNSCOPED_TABLES],
    );
    return rows.map(({ name }) => name);
  };
  /**
   * Runs `work` with the database role of the service, but without a scope of row-level security.
   */
  const withServiceRole = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: database.databaseUrl });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  /** Inserts an agent with a session, memories and their revisions, a fact and a memory policy. */
  const fillTables = async () => {
    const owner = await database.createOwner();
    const { workspaceId, agentId } = owner;
    const { storage } = database;
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
      const memories = [
        acceptedMemory('own', value),
        acceptedMemory('shared', value, { isGlobal: true }),
      ];
      const title = value === 'old' ? { newTitle: 'Chat' } : {};
      const turn = { ...base, ...title, agentId, sessionId: `ses_${agentId}`, memories };
      await storage.sessions.saveTurn(workspaceId, turn);
    }
    const draft = { id: `fct_${agentId}`, category: 'c', key: 'k', value: 'v', confidence: 1 };
    const source = sourceOfChat(agentId);
    await storage.facts.upsert(workspaceId, { source, drafts: [draft], agentId });
    await storage.memoryPolicies.set(workspaceId, { globalWrites: true });
    return owner;
  };

  it('is under forced row-level security in every table', async () => {
    const open = await database.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'agents'::regnamespace
         AND relkind = 'r' AND relname <> ALL ($1)
         AND NOT (relrowsecurity AND relforcerowsecurity)`,
      [UNSCOPED_TABLES],
    );
    expect(open).toEqual([]);
    const trusted = await database.query(
      `SELECT proname FROM pg_proc WHERE pronamespace = 'agents'::regnamespace AND prosecdef`,
    );
    expect(trusted).toEqual([]);
    const { rows } = await withServiceRole((client) =>
      client.query('SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user'),
    );
    expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false }]);
  });

  it('is visible in its own scope only', async () => {
    const { workspaceId, agentId } = await fillTables();
    const stranger = await database.createOwner();
    await withServiceRole(async (client) => {
      for (const table of await readTables()) {
        const { rows } = await client.query(`SELECT FROM ${table}`);
        expect([table, rows]).toEqual([table, []]);
      }
      // Returns the number of memories that the workspace can read. The function sets the scope of
      // row-level security for its own transaction only, so the last query below returns no row.
      const recall = async (workspace: string): Promise<number> => {
        const sql = 'SELECT FROM recall_marked_memories($1, $2)';
        return (await client.query(sql, [workspace, agentId])).rows.length;
      };
      expect([await recall(workspaceId), await recall(stranger.workspaceId)]).toEqual([2, 0]);
      expect((await client.query('SELECT FROM memory')).rows).toEqual([]);
    });
    const { recall } = database.storage;
    const foreignMemories = await recall.all(stranger.workspaceId, stranger.agentId);
    expect(foreignMemories.visibleTo({ staysLocal: true })).toEqual([]);
  });

  it('contains only global memories of an agent that was deleted', async () => {
    const { workspaceId, agentId } = await fillTables();
    const other = await database.createOwner(workspaceId);
    expect(await database.storage.agents.delete(workspaceId, agentId)).toBe(true);
    for (const table of await readTables()) {
      // The session id is excluded, because a global memory still refers to the deleted session
      // that wrote it.
      const sql = `SELECT FROM ${table} AS row
        WHERE (to_jsonb(row) - 'session_id')::text LIKE '%' || $1 || '%'`;
      expect([table, await database.query(sql, [agentId])]).toEqual([table, []]);
    }
    const messages = 'SELECT FROM message WHERE workspace_id = $1';
    expect(await database.query(messages, [workspaceId])).toEqual([]);
    const left = await database.query(
      'SELECT key, value FROM memory WHERE workspace_id = $1 ORDER BY key',
      [workspaceId],
    );
    expect(left).toEqual([{ key: 'shared', value: 'new' }]);
    const revisions = 'SELECT key FROM memory_revision WHERE workspace_id = $1';
    expect(await database.query(revisions, [workspaceId])).toEqual([{ key: 'shared' }]);
    const known = await database.storage.recall.all(workspaceId, other.agentId);
    const shown = known.visibleTo({ staysLocal: false });
    expect(shown.map(({ value }) => value)).toEqual(['new']);
  });
});
