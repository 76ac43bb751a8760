import { newId } from '@witan/service-kit';
import type pg from 'pg';
import type { LoadLimits, LoadResult } from '../../load/run-closed-loop.ts';

/** The agent whose memories a call reads or writes. */
export type MemoryOwner = { workspaceId: string; agentId: string };

export const AGENTS_PER_WORKSPACE = 10;
/**
 * Number of memories that belong to one agent only; GLOBAL_MEMORIES belong to all agents of its
 * workspace.
 */
export const OWN_MEMORIES = 90;
export const GLOBAL_MEMORIES = 100;
/**
 * Number of memories of the one agent that has the maximum (`MEMORIES_MAX` of the agents service).
 */
export const FULL_MEMORIES = 2_000;

/** Copy of the memory table, which the reference without the agents service reads and writes. */
export const PLAIN_TABLE = 'plain_memory';

export type Population = {
  owners: readonly MemoryOwner[];
  fullAgent: MemoryOwner;
  memories: number;
};

/**
 * Inserts agents with their memories, 1,000 memories per workspace, and one agent with the maximum
 * of memories; copies the memory table without row-level security. Rows are inserted in random
 * order, as they would be after months.
 */
export const populateMemories = async (
  database: pg.Client,
  workspaces: number,
): Promise<Population> => {
  const owners = Array.from({ length: workspaces }, () => newId('ws')).flatMap((workspaceId) =>
    Array.from({ length: AGENTS_PER_WORKSPACE }, () => ({ workspaceId, agentId: newId('agt') })),
  );
  const fullAgent = { workspaceId: newId('ws'), agentId: newId('agt') };
  const all = [...owners, fullAgent];
  const agentIds = all.map(({ agentId }) => agentId);
  await database.query(INSERT_AGENTS, [agentIds, all.map(({ workspaceId }) => workspaceId)]);
  const { rowCount: memories } = await database.query(INSERT_MEMORIES, [
    fullAgent.agentId,
    OWN_MEMORIES,
    GLOBAL_MEMORIES,
    FULL_MEMORIES,
    WORDS,
  ]);
  await database.query(`CREATE TABLE ${PLAIN_TABLE} (LIKE agents.memory INCLUDING ALL)`);
  await database.query(`INSERT INTO ${PLAIN_TABLE} SELECT * FROM agents.memory`);
  await database.query(`VACUUM ANALYZE agents.memory, agents.agent, ${PLAIN_TABLE}`);
  return { owners, fullAgent, memories: memories ?? 0 };
};

const INSERT_AGENTS = `
  INSERT INTO agents.agent (
    id, workspace_id, name, slug, role, system_prompt, personality, mission, decision_style, model
  )
  SELECT id, workspace_id, 'Ann', lower(id), '', 'You are Ann.', '', '', '', ''
  FROM unnest($1::text[], $2::text[]) AS agent (id, workspace_id)`;

const WORDS = (
  'margin customer north south supplier price term order delay invoice plan quarter budget hiring ' +
  'office lease founder investor board launch product feature bug support contract renewal churn ' +
  'warehouse stock carrier tariff bank loan rate salary team lead sales market rival patent brand ' +
  'campaign newsletter event partner reseller region language audit tax insurance risk incident'
).split(' ');

/**
 * Returns SQL that selects a word by the memory's number and the word's position in the sentence.
 */
const selectWord = (position: number): string =>
  `($5::text[])[1 + abs(hashint4(number * 7 + ${position})::bigint) % array_length($5::text[], 1)]`;

const INSERT_MEMORIES = `
  WITH wanted AS (
    SELECT workspace_id, id AS agent_id, 'topic_' || number AS key, number
    FROM agents.agent CROSS JOIN LATERAL generate_series(
      1, CASE id WHEN $1 THEN $4::integer ELSE $2::integer END
    ) AS number
    UNION ALL
    SELECT workspace_id, NULL, 'shared_' || number, number
    FROM (SELECT DISTINCT workspace_id FROM agents.agent WHERE id <> $1) AS workspace
      CROSS JOIN generate_series(1, $3::integer) AS number
  ), placed AS (
    SELECT *, row_number() OVER (ORDER BY md5(concat(workspace_id, agent_id, key))) AS place
    FROM wanted
  )
  INSERT INTO agents.memory (
    id, workspace_id, agent_id, key, key_norm, value, type, origin, importance
  )
  SELECT 'mem_' || lpad(place::text, 22, '0'), workspace_id, agent_id, key, key,
    'The ' || ${selectWord(1)} || ' of the ' || ${selectWord(2)} || ' depends on ' || ${selectWord(3)} || ' and '
      || ${selectWord(4)} || ', as the ' || ${selectWord(5)} || ' said of the ' || ${selectWord(6)}
      || ' in week ' || number || '.',
    (ARRAY['fact', 'decision', 'goal', 'note', 'fact', 'preference'])[1 + number % 6],
    'api', 0.5
  FROM placed ORDER BY place`;

/**
 * `recall` reads all memories of an agent. `prepare` also ranks and selects them for a chat prompt.
 * `write` stores a new value for an existing key.
 */
export type MemoryCommand = {
  kind: 'recall' | 'prepare' | 'write';
  limits: LoadLimits;
  /** Agents with memories; each call uses a random one. */
  owners: readonly MemoryOwner[];
  /** Size of the model's context window in tokens; only for `prepare`. */
  contextTokens?: number;
};

export type MemoryResult = LoadResult & { memoriesPerCall: number };

/** Returns a random owner, so that calls for several owners do not read the same cached rows. */
export const pickOwner = (owners: readonly MemoryOwner[]): MemoryOwner =>
  owners[Math.floor(Math.random() * owners.length)]!;
