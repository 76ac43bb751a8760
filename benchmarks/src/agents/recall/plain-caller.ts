// Reads and writes a copy of the memory table with prepared `pg` statements, as a reference for the
// agents service. Arguments: DATABASE_URL CONNECTIONS.
import pg from 'pg';
import { newId } from '@witan/service-kit';
import { runClosedLoop } from '../../load/run-closed-loop.ts';
import { serveProgram } from '../../program/serve-program.ts';
import { PLAIN_TABLE, pickOwner } from './populate-memories.ts';
import type { MemoryOwner, MemoryCommand, MemoryResult } from './populate-memories.ts';

const [connectionString, connections] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: Number(connections) });

const COLUMNS = `id, agent_id, key, key_norm, value, type, origin, session_id, importance,
  updated_at, used_at`;
const READ = {
  name: 'read-plain',
  text: `SELECT ${COLUMNS} FROM ${PLAIN_TABLE} WHERE agent_id = $2 UNION ALL
    SELECT ${COLUMNS} FROM ${PLAIN_TABLE} WHERE workspace_id = $1 AND agent_id IS NULL`,
};
const WRITE = {
  name: 'write-plain',
  text: `INSERT INTO ${PLAIN_TABLE}
      (id, workspace_id, agent_id, key, key_norm, value, type, origin)
    VALUES ($1, $2, $3, $4, $4, $5, 'fact', 'api')
    ON CONFLICT (agent_id, key_norm) WHERE agent_id IS NOT NULL
    DO UPDATE SET value = excluded.value, updated_at = clock_timestamp(),
      revision = ${PLAIN_TABLE}.revision + 1
    RETURNING ${COLUMNS}`,
};
const WRITTEN_KEYS = 50;

let written = 0;

const read = async ({ workspaceId, agentId }: MemoryOwner): Promise<number> =>
  (await pool.query({ ...READ, values: [workspaceId, agentId] })).rows.length;

const write = async ({ workspaceId, agentId }: MemoryOwner): Promise<number> => {
  written += 1;
  const key = `topic_${1 + (written % WRITTEN_KEYS)}`;
  const value = `The margin of the north is known since step ${written}.`;
  const values = [newId('mem'), workspaceId, agentId, key, value];
  return (await pool.query({ ...WRITE, values })).rows.length;
};

const run = async ({ kind, limits, owners }: MemoryCommand): Promise<MemoryResult> => {
  const call = kind === 'write' ? write : read;
  let memories = 0;
  const result = await runClosedLoop(limits, async () => {
    const found = await call(pickOwner(owners));
    memories += found;
    return undefined;
  });
  return { ...result, memoriesPerCall: memories / result.calls };
};

serveProgram({ ready: {}, answer: run, stop: () => pool.end() });
