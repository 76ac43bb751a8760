import { expect, it } from '@jest/globals';
import { createLog, newId, openDatabase } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import { AgentEntity } from '../src/agent/store/agent-store.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { openStorage } from '../src/open-storage.ts';
import { SECRETS_KEY } from './open-agents.ts';

const WORKSPACE = newId('ws');
const OWNERS = ['service-sensitive', 'gpt-5'].map((model) => ({
  agentId: newId('agt'),
  sessionId: newId('ses'),
  model,
}));

const ROWS = [
  `INSERT INTO agent (id, workspace_id, name, slug, role, system_prompt, personality, mission,
     decision_style, model)
   SELECT $2, $1, $2, $2, '', '', '', '', '', $4 WHERE $3 <> ''`,
  `INSERT INTO session (id, workspace_id, agent_id, title) SELECT $3, $1, $2, 'Chat' WHERE $4 <> ''`,
  `INSERT INTO memory (id, workspace_id, agent_id, key, key_norm, value, type, origin)
   SELECT $3, $1, $2, 'told', 'told', 'one', 'fact', 'api' WHERE $4 <> ''`,
  `INSERT INTO memory (id, workspace_id, agent_id, key, key_norm, value, type, origin, session_id)
   SELECT $2, $1, $2, 'noted', 'noted', 'one', 'fact', 'tag', $3 WHERE $4 <> ''`,
];

it('marks the sessions and memories of local-only agents in a migration', async () => {
  const log = createLog({ service: 'agents', level: 'silent' });
  await using database = await createTestDatabase(['agents']);
  const url = database.urls['agents']!;
  {
    const migrations = MIGRATIONS.filter(({ name }) => name < '0013');
    const entities = [AgentEntity];
    await using before = await openDatabase({ url, schema: 'agents', entities, migrations, log });
    const client = await before.pool.connect();
    await client.query(`SELECT set_config('witan.scope', '${WORKSPACE}', false)`);
    for (const { agentId, sessionId, model } of OWNERS) {
      for (const sql of ROWS) await client.query(sql, [WORKSPACE, agentId, sessionId, model]);
    }
    client.release(true);
  }
  const deps = { newId, clock: () => new Date(), secretsKey: SECRETS_KEY };
  await using storage = await openStorage(url, log, deps);
  for (const { agentId, sessionId, model } of OWNERS) {
    const isLocalOnly = model === 'service-sensitive';
    const recalled = await storage.recall.all(WORKSPACE, agentId);
    const memories = recalled.visibleTo({ staysLocal: true });
    expect(memories.map((memory) => memory.isLocalOnly)).toEqual([isLocalOnly, isLocalOnly]);
    const history = await storage.sessions.loadHistory(WORKSPACE, agentId, sessionId, 9);
    expect(history!.isLocalOnly).toBe(isLocalOnly);
  }
});
