import { SERIAL } from '../../gateway/traffic/history.ts';
import type { LoadLimits } from '../../load/run-closed-loop.ts';
import { summarizeLatencies } from '../../load/latency-summary.ts';
import type { LoadResult } from '../../load/summarize-load.ts';
import { accountCpu } from '../../measure-row.ts';
import type { Accounted } from '../../measure-row.ts';
import type { RowPace } from '../../pace.ts';
import type { ChatLoad } from './chat-clients.ts';
import type { ChatMeasurement, ChatSystem } from './chat-row.ts';
import type { ChatStage } from './open-chat-stage.ts';
import { makeTurnBody, readSerial, REMEMBER_MARK, TOOL_MARK } from './questions.ts';

export type ChatTarget = {
  system: ChatSystem;
  accounted: Accounted;
  load: Omit<ChatLoad, 'limits'>;
  delayMs: number;
};

const COMPLETIONS = '/v1/chat/completions';
const MESSAGES_PER_TURN = 2;

/**
 * Returns the target for one system. `bare` and `completion` send `prompt`, the request of the
 * agents service to the provider, so that all systems cause the same provider call.
 */
export const toChatTarget = (
  { pipe, witan, chat, provider, clients }: Omit<ChatStage, 'ids'>,
  { system, delayMs, prompt }: { system: ChatSystem; delayMs: number; prompt: string },
): ChatTarget => {
  const called = system === 'bare' ? pipe : witan;
  const isTurn = system !== 'bare' && system !== 'completion';
  const isStreamed = system === 'turn, streamed';
  return {
    system,
    delayMs,
    accounted: {
      counted: called.processes,
      bystanders: { provider: provider.pid, clients: clients.pid },
    },
    load: {
      url: `${called.url}${isTurn ? `/v1/agents/${chat.agentId}/chat` : COMPLETIONS}`,
      headers: { ...called.headers, ...(isStreamed ? { accept: 'text/event-stream' } : {}) },
      body: isTurn ? makeTurnBody(QUESTION_MARKS[system]) : prompt,
      marks: isTurn ? MARKS[system] : { within: 'data: ', tail: 'data: [DONE]\n\n' },
      ...(system === 'bare' ? {} : { idHeader: 'x-service-proof' }),
      sessions: chat.sessions,
    },
  };
};

const QUESTION_MARKS = {
  turn: '',
  'turn, streamed': '',
  'turn, remembering': REMEMBER_MARK,
  'turn, one tool': TOOL_MARK,
} as const;

const MARKS = {
  turn: { within: '"memoriesSaved":[]', tail: '}' },
  'turn, streamed': { within: 'event: done\n', tail: '}\n\n' },
  'turn, remembering': { within: '"memoriesSaved":[{"key":"plan_step"', tail: '}' },
  'turn, one tool': { within: '"result":{"margin":"21 percent"},"error":null}]', tail: '}' },
} as const;

/**
 * Runs one turn and returns the body of its provider request, which `bare` and `completion` repeat.
 */
export const capturePrompt = async (stage: ChatStage): Promise<string> => {
  const target = toChatTarget(stage, { system: 'turn', delayMs: 0, prompt: '' });
  await runTurns(stage, target, { inFlight: 1, maxMs: 60_000, maxCalls: 1 });
  const { body } = await stage.provider.ask({ kind: 'report' });
  const serial = readSerial(Buffer.from(body));
  return body.replace(`Step ${serial}`, `Step ${SERIAL}`);
};

export const measureTurns = async (
  stage: ChatStage,
  target: ChatTarget,
  { inFlight, row }: { inFlight: number; row: RowPace },
): Promise<ChatMeasurement> => {
  const maxCalls = Math.min(row.callsMax, stage.chat.sessions.length);
  await runTurns(stage, target, { inFlight, maxMs: row.warmUpMs, maxCalls });
  return await accountCpu(target.accounted, () =>
    runTurns(stage, target, { inFlight, maxMs: row.measureMs, maxCalls }),
  );
};

type TurnsResult = LoadResult & Pick<ChatMeasurement, 'overheadMs' | 'firstByteOverheadMs'>;

/**
 * Runs calls, deletes the messages that they added, and returns their durations without the
 * provider's time.
 */
export const runTurns = async (
  { provider, clients, chat, ids }: ChatStage,
  { system, load, delayMs }: ChatTarget,
  limits: LoadLimits,
): Promise<TurnsResult> => {
  await provider.ask({ kind: 'begin', delayMs });
  const answer = await clients.ask({ ...load, limits });
  // The model call that requests the tool has its own certificate, named after the answer's id.
  for (const id of answer.ids) ids.push(...(system === 'turn, one tool' ? [`${id}t1`, id] : [id]));
  const written = await chat.restore();
  const isTurn = system.startsWith('turn');
  const expected = isTurn ? answer.result.calls * MESSAGES_PER_TURN : 0;
  if (written !== expected) {
    throw new Error(`${answer.result.calls} calls of ${system} left ${written} messages.`);
  }
  const times = new Map((await provider.ask({ kind: 'report' })).times);
  if (times.size !== answer.samples.length) {
    throw new Error(`${answer.samples.length} calls made ${times.size} calls of the provider.`);
  }
  const { samples } = answer;
  const over = samples.map(({ serial, ms }) => ms - times.get(serial)!.lastMs);
  const first = samples.map(({ serial, firstByteMs }) => firstByteMs - times.get(serial)!.firstMs);
  const isWhole = isTurn && system !== 'turn, streamed';
  return {
    ...answer.result,
    overheadMs: summarizeLatencies(over),
    ...(isWhole ? {} : { firstByteOverheadMs: summarizeLatencies(first) }),
  };
};
