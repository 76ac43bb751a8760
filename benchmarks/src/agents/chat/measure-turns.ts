import type { HttpLoad } from '../../load/http-clients.ts';
import { SERIAL_PLACEHOLDER } from '../../gateway/traffic/history.ts';
import type { LoadLimits, LoadResult } from '../../load/run-closed-loop.ts';
import { summarizeLatencies } from '../../load/latency-summary.ts';
import { measureCpu } from '../../measure-row.ts';
import type { MeasuredProcesses } from '../../measure-row.ts';
import type { RowPreset } from '../../preset.ts';
import type { ChatMeasurement, ChatSystem } from './summarize-turns.ts';
import type { ChatTestbed } from './open-chat-testbed.ts';
import {
  makeMcpBody,
  makeTurnBody,
  MCP_HEADERS,
  readSerial,
  REMEMBER_MARK,
  TOOL_MARK,
} from './questions.ts';

export type ChatTarget = {
  system: ChatSystem;
  measuredProcesses: MeasuredProcesses;
  load: Omit<HttpLoad, 'limits'>;
  delayMs: number;
};

const COMPLETIONS = '/v1/chat/completions';
const MESSAGES_PER_TURN = 2;

/**
 * Returns the target for one system. `bare` and `completion` send `prompt`, the request of the
 * agents service to the provider, so that all systems cause the same provider call.
 */
export const toChatTarget = (
  { pipe, witan, chat, provider, clients }: Omit<ChatTestbed, 'ids'>,
  { system, delayMs, prompt }: { system: ChatSystem; delayMs: number; prompt: string },
): ChatTarget => {
  const calledSystem = system === 'bare' ? pipe : witan;
  const isTurn = system !== 'bare' && system !== 'completion';
  const { path, headers, body } = toTurnRequest(system, chat.agentId);
  return {
    system,
    delayMs,
    measuredProcesses: {
      counted: calledSystem.processes,
      bystanders: { provider: provider.pid, clients: clients.pid },
    },
    load: {
      url: `${calledSystem.url}${path}`,
      headers: { ...calledSystem.headers, ...headers },
      body: body ?? prompt,
      ...(isTurn ? RESPONSE_MARKS[system] : { within: 'data: ', tail: 'data: [DONE]\n\n' }),
      ...(system === 'bare' ? {} : { idHeader: 'x-service-proof' }),
      sessions: chat.sessions,
    },
  };
};

type TurnRequest = { path: string; headers: Record<string, string>; body?: string };

/** Returns the request of a turn; systems without turns send the captured prompt. */
const toTurnRequest = (system: ChatSystem, agentId: string): TurnRequest => {
  if (system === 'bare' || system === 'completion') return { path: COMPLETIONS, headers: {} };
  if (system === 'turn, over MCP') {
    return { path: '/mcp', headers: MCP_HEADERS, body: makeMcpBody(agentId) };
  }
  const headers = system === 'turn, streamed' ? { accept: 'text/event-stream' } : undefined;
  const body = makeTurnBody(QUESTION_MARKS[system]);
  return { path: `/v1/agents/${agentId}/chat`, headers: headers ?? {}, body };
};

const QUESTION_MARKS = {
  turn: '',
  'turn, streamed': '',
  'turn, remembering': REMEMBER_MARK,
  'turn, one tool': TOOL_MARK,
} as const;

const RESPONSE_MARKS = {
  turn: { within: '"memoriesSaved":[]', tail: '}' },
  'turn, over MCP': { within: '"memoriesSaved":[]', tail: '}' },
  'turn, streamed': { within: 'event: done\n', tail: '}\n\n' },
  'turn, remembering': { within: '"memoriesSaved":[{"key":"plan_step"', tail: '}' },
  'turn, one tool': { within: '"result":{"margin":"21 percent"},"error":null}]', tail: '}' },
} as const;

/**
 * Runs one turn and returns the body of its provider request, which `bare` and `completion` repeat.
 */
export const captureProviderRequest = async (testbed: ChatTestbed): Promise<string> => {
  const target = toChatTarget(testbed, { system: 'turn', delayMs: 0, prompt: '' });
  await runTurns(testbed, target, { inFlight: 1, maxMs: 60_000, maxCalls: 1 });
  const { body } = await testbed.provider.execute({ kind: 'report' });
  const serial = readSerial(Buffer.from(body));
  return body.replace(`Step ${serial}`, `Step ${SERIAL_PLACEHOLDER}`);
};

export const measureTurns = async (
  testbed: ChatTestbed,
  target: ChatTarget,
  { inFlight, row }: { inFlight: number; row: RowPreset },
): Promise<ChatMeasurement> => {
  const maxCalls = Math.min(row.callsMax, testbed.chat.sessions.length);
  await runTurns(testbed, target, { inFlight, maxMs: row.warmUpMs, maxCalls });
  return await measureCpu(target.measuredProcesses, () =>
    runTurns(testbed, target, { inFlight, maxMs: row.measureMs, maxCalls }),
  );
};

type TurnsResult = LoadResult & Pick<ChatMeasurement, 'overheadMs' | 'firstByteOverheadMs'>;

/**
 * Runs calls, deletes the messages that the calls stored, and returns the calls' durations without
 * the provider's time.
 */
export const runTurns = async (
  { provider, clients, chat, ids }: ChatTestbed,
  { system, load, delayMs }: ChatTarget,
  limits: LoadLimits,
): Promise<TurnsResult> => {
  await provider.execute({ kind: 'reset', delayMs });
  const answer = await clients.execute({ ...load, limits });
  // The model call that requests the tool has its own certificate: the answer's proof id followed
  // by `t1`.
  for (const id of answer.ids) ids.push(...(system === 'turn, one tool' ? [`${id}t1`, id] : [id]));
  const deletedMessages = await chat.deleteNewMessages();
  const isTurn = system.startsWith('turn');
  const expected = isTurn ? answer.result.calls * MESSAGES_PER_TURN : 0;
  if (deletedMessages !== expected) {
    throw new Error(`${answer.result.calls} calls of ${system} left ${deletedMessages} messages.`);
  }
  const times = new Map((await provider.execute({ kind: 'report' })).times);
  if (times.size !== answer.samples.length) {
    throw new Error(`${answer.samples.length} calls made ${times.size} calls of the provider.`);
  }
  const { samples } = answer;
  const overheads = samples.map(({ serial, ms }) => ms - times.get(serial)!.lastMs);
  const firstByteOverheads = samples.map(
    ({ serial, firstByteMs }) => firstByteMs - times.get(serial)!.firstMs,
  );
  const isUnstreamedTurn = isTurn && system !== 'turn, streamed';
  return {
    ...answer.result,
    overheadMs: summarizeLatencies(overheads),
    ...(isUnstreamedTurn ? {} : { firstByteOverheadMs: summarizeLatencies(firstByteOverheads) }),
  };
};
