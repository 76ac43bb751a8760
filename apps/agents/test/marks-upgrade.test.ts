import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, newId, openDatabase } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { AgentEntity } from '../src/agent/store/agent-store.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { openStorage } from '../src/open-storage.ts';
import { SECRETS_KEY } from './open-agents.ts';

const WORKSPACE = newId('ws');
const LIMITS = 500;

/** Statements of the previous release, which its connections have prepared before the migration. */
const STATEMENTS = {
  save_turn: 'SELECT * FROM save_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)',
  write_memories: 'SELECT * FROM write_memories($1, $2, $3, NULL, $4, $5, $6, $7)',
  recall_memories: 'SELECT * FROM recall_memories($1, $2)',
  load_history: 'SELECT * FROM load_history($1, $2, $3, $4, $5, $6, $7)',
};

type Owner = { agentId: string; sessionId: string; model: string };
const ownerOf = (model: string): Owner => ({
  agentId: newId('agt'),
  sessionId: newId('ses'),
  model,
});

const toDrafts = (key: string, value: string): string =>
  JSON.stringify([{ id: newId('mem'), key, key_norm: key, value, type: 'fact' }]);

describe('the migration that adds local-only marks', () => {
  const log = createLog({ service: 'agents', level: 'silent' });
  const owners = [ownerOf('service-sensitive'), ownerOf('gpt-5')];
  let database: TestDatabase;
  let before: Database;

  const ask = (name: keyof typeof STATEMENTS, values: readonly unknown[]) => {
    const statement = { name, text: STATEMENTS[name], values: [WORKSPACE, ...values] };
    return before.query<Record<string, unknown>>(statement);
  };
  const insert = async ({ agentId, model }: Owner): Promise<void> => {
    await before.pool.query(`SELECT set_config('witan.scope', '${WORKSPACE}', false)`);
    await before.pool.query(
      `INSERT INTO agent (id, workspace_id, name, slug, role, system_prompt, personality, mission,
         decision_style, model, created_at, updated_at)
       VALUES ($1, $2, $1, $1, '', '', '', '', '', $3, now(), now())`,
      [agentId, WORKSPACE, model],
    );
  };
  /** Runs the statements of one chat turn of the previous release and returns their results. */
  const runTurn = async ({ agentId, sessionId }: Owner, value: string, title: string | null) => {
    const texts = [newId('msg'), 'question', newId('msg'), 'answer', 'Ann', []];
    const tags = [toDrafts('noted', value), '[]', LIMITS, []];
    const draftValues = [agentId, 'api', toDrafts('told', value), '[]', LIMITS, []];
    const saved = await ask('save_turn', [agentId, sessionId, title, ...texts, ...tags]);
    const writtenRows = await ask('write_memories', draftValues);
    const recalledRows = await ask('recall_memories', [agentId]);
    const history = await ask('load_history', [agentId, sessionId, 9, 9_999, 9_999, 99]);
    return {
      values: [...saved, ...writtenRows].map((row) => row['value']),
      recalled: recalledRows.map((row) => row['value']),
      rows: history.length,
    };
  };

  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    before = await openDatabase({
      url: database.urls['agents']!,
      schema: 'agents',
      entities: [AgentEntity],
      migrations: MIGRATIONS.filter(({ name }) => name < '0013'),
      log,
      poolSize: 1,
    });
    for (const owner of owners) await insert(owner);
  });
  afterAll(async () => {
    await before[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it('marks existing rows, and the previous release continues to work', async () => {
    for (const owner of owners) {
      expect(await runTurn(owner, 'one', 'Chat')).toMatchObject({
        values: ['one', 'one'],
        rows: 3,
      });
    }
    const deps = { newId, clock: () => new Date(), secretsKey: SECRETS_KEY };
    await using storage = await openStorage(database.urls['agents']!, log, deps);
    const markRows: boolean[][] = [];
    for (const { agentId, sessionId } of owners) {
      const recalledRows = await storage.recall.all(WORKSPACE, agentId);
      const memories = recalledRows.visibleTo({ staysLocal: true });
      const history = await storage.sessions.loadHistory(WORKSPACE, agentId, sessionId, 9);
      markRows.push([history!.isLocalOnly, ...memories.map(({ isLocalOnly }) => isLocalOnly)]);
    }
    expect(markRows).toEqual([
      [true, true, true],
      [false, false, false],
    ]);
    for (const owner of owners) {
      const recalledRows = ['two', 'two'];
      expect(await runTurn(owner, 'two', null)).toEqual({
        values: recalledRows,
        recalled: recalledRows,
        rows: 5,
      });
    }
  });
});
