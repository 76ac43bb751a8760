import type { SystemFile } from '@witan/stack';
import { newId } from '@witan/service-kit';
import { openConnection } from '../../database.ts';
import { createApiCall } from '../../gateway/open-systems.ts';
import { TOOL_NAME } from './questions.ts';

export const MEMORIES = 20;
export const HISTORY_TURNS = 20;

/** A seeded agent with memories, and chat sessions with a history, one for each turn of a run. */
export type SeededChat = {
  agentId: string;
  sessions: readonly string[];
  /**
   * Deletes the messages that turns added, so that every run starts with the same history. Returns
   * the number of deleted messages.
   */
  deleteNewMessages: () => Promise<number>;
};

const MODEL = 'gpt-bench';

/**
 * Creates an agent with memories and a tool through the API, and inserts its chat sessions by SQL.
 */
export const seedChat = async (
  system: SystemFile,
  { sessionCount, toolUrl }: { sessionCount: number; toolUrl: string },
  resources: AsyncDisposableStack,
): Promise<SeededChat> => {
  const call = createApiCall(system);
  const agentId = await createAgent(call);
  await call('POST', '/tools', {
    name: TOOL_NAME,
    description: 'Looks up what a step of the plan did to the margin.',
    parameters: {
      type: 'object',
      properties: { step: { type: 'string' } },
      required: ['step'],
      additionalProperties: false,
    },
    url: toolUrl,
    agentIds: [agentId],
  });
  const database = await openConnection(system.databaseUrl, resources);
  const sessions = Array.from({ length: sessionCount }, () => newId('ses'));
  await database.query(INSERT_SESSIONS, [sessions, system.workspaceId, agentId, HISTORY_TURNS * 2]);
  await database.query(INSERT_MESSAGES, [
    sessions,
    system.workspaceId,
    HISTORY_TURNS,
    QUESTION,
    ANSWER,
  ]);
  await database.query('VACUUM ANALYZE agents.session, agents.message');
  const { rows } = await database.query<{ last: string }>(LAST_POSITION);
  return {
    agentId,
    sessions,
    deleteNewMessages: async () => {
      const { rowCount } = await database.query(DELETE_NEW_MESSAGES, [rows[0]!.last]);
      return rowCount ?? 0;
    },
  };
};

const createAgent = async (call: ReturnType<typeof createApiCall>): Promise<string> => {
  const { agent } = await call<{ agent: { id: string } }>('POST', '/agents', {
    name: 'Strategy of the bench',
    role: 'Chief strategy officer',
    systemPrompt:
      'You advise a small company on where to go and what to leave alone. You weigh what is known ' +
      'against what is hoped for, name the assumptions that a plan stands on, and say what would ' +
      'have to be true for it to work. You answer in a few plain sentences.',
    personality: 'Calm, curious and frank.',
    mission: 'That the company does few things, and does them well.',
    decisionStyle: 'Reversible things fast, others slowly.',
    model: MODEL,
  });
  const memories = Array.from({ length: MEMORIES }, (_, index) => ({
    key: `topic_${index}`,
    value: `Topic ${index}: the company decided to keep its margin above ${20 + index} percent.`,
    type: MEMORY_TYPES[index % MEMORY_TYPES.length],
  }));
  await call('POST', `/agents/${agent.id}/memory`, { memories });
  return agent.id;
};

const MEMORY_TYPES = ['fact', 'preference', 'decision', 'goal', 'note'];

const QUESTION =
  'We sold more in the north than we had planned, and less in the south. Our two largest customers ' +
  'ask for longer terms, and a third one left. What do you make of it?';
const ANSWER =
  'Three things stand out. The north grew because a rival left it, and that will not last: take ' +
  'its customers now, with terms that they will want to keep. The south fell with its prices; do ' +
  'not follow them down. And longer terms for two customers are a loan: give it to the one that ' +
  'buys at full price, and only against a year of orders. I would first find out why the third ' +
  'left, because that costs one telephone call, and everything else in this plan depends on it.';

const INSERT_SESSIONS = `
  INSERT INTO agents.session (id, workspace_id, agent_id, title, message_count)
  SELECT id, $2, $3, 'A session of the bench', $4 FROM unnest($1::text[]) AS id`;

/**
 * Inserts the first exchange of all sessions, then the second, and so on, so that a session's
 * messages are scattered over pages as in practice.
 */
const INSERT_MESSAGES = `
  INSERT INTO agents.message (id, workspace_id, session_id, sender_type, agent_name, content)
  SELECT 'msg_' || md5(session || turn || sender), $2, session, sender,
    CASE sender WHEN 'agent' THEN 'Strategy of the bench' ELSE '' END,
    CASE sender WHEN 'agent' THEN $5 ELSE $4 END
  FROM generate_series(1, $3::integer) AS turn
    CROSS JOIN unnest($1::text[]) AS session
    CROSS JOIN unnest(ARRAY['user', 'agent']) WITH ORDINALITY AS said (sender, place)
  ORDER BY turn, session, place`;

const LAST_POSITION = 'SELECT max(position)::text AS last FROM agents.message';

const DELETE_NEW_MESSAGES = 'DELETE FROM agents.message WHERE position > $1';
