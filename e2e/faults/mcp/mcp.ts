import { setTimeout as pause } from 'node:timers/promises';
import { createMcpCaller } from '../../mcp/mcp-caller.ts';
import type { McpCaller, ToolResult } from '../../mcp/mcp-caller.ts';
import { COUNCIL_SCRIPT, toQuestion } from '../debates/council-script.ts';
import type { FaultTarget } from '../open-running-system.ts';
import { judgeRuns, openReplayBench } from '../open-replay-bench.ts';
import type { ReplayBench } from '../open-replay-bench.ts';
import type { Part, Round, RoundOutcome } from '../run-part.ts';
import type { ModelScript } from '../scripted-model.ts';
import { strikeAndRestart, untilReady } from '../strike.ts';
import { until } from '../until.ts';
import { findTaskViolations, findToolViolations } from './find-mcp-violations.ts';

const TARGETS: readonly FaultTarget[] = [
  'api-gateway',
  'agents',
  'llm-gateway',
  'ledger',
  'postgres',
  'nats',
];

const PLAIN = /Plain question (\d+)/;
/** Answers as the council, and a plain completion with the key `plain`. */
const SCRIPT: ModelScript = {
  readCall: (prompt) => {
    const [, runNumber] = PLAIN.exec(prompt) ?? [];
    if (runNumber === undefined) return COUNCIL_SCRIPT.readCall(prompt);
    return { runNumber: Number(runNumber), key: 'plain', name: '', round: 0, scenario: '' };
  },
  answer: (call, prompt) =>
    call.key === 'plain' ? { content: 'Yes.' } : COUNCIL_SCRIPT.answer(call, prompt),
};

/** Delay of each model call, so that a strike meets calls in flight. */
const DELAY_MS = 700;
const ARRIVAL_LIMIT_MS = 30_000;
const END_LIMIT_MS = 120_000;
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Starts a task and a tool call over MCP, and kills each process in the middle of both. */
export const MCP: Part = {
  summary: 'a task and a tool call over MCP, with each process killed in the middle',
  open: async (lab) => {
    const bench = await openReplayBench(lab, { script: SCRIPT, events: ['debate.synthesized'] });
    bench.model.setPace(() => pause(DELAY_MS));
    const proofIds: string[] = [];
    return {
      rounds: listRounds(bench, proofIds),
      finish: () => judgeRuns(bench, proofIds),
    };
  },
};

function* listRounds(bench: ReplayBench, proofIds: string[]): Generator<Round> {
  let number = 0;
  for (const target of [undefined, ...TARGETS]) {
    const suffix = target === undefined ? 'undisturbed' : `kill ${target}`;
    const toRound = (kind: string, run: typeof runTask): Round => ({
      name: `${kind}, ${suffix}`,
      run: async () => {
        number += 1;
        return await run({ number, target }, bench, proofIds);
      },
    });
    yield toRound('task', runTask);
    yield toRound('tool call', runToolCall);
  }
}

type Plan = { number: number; target: FaultTarget | undefined };

const openCaller = async ({ system }: ReplayBench): Promise<McpCaller> =>
  createMcpCaller(await system.readFile());

/** Kills the target once a model call of the run is in flight, and waits until all is ready. */
const strikeInFlight = async (
  { number, target }: Plan,
  { system, model }: ReplayBench,
  callCount: number,
): Promise<void> => {
  const whenDue = async (): Promise<void> => {
    const hasArrived = await until(
      ARRIVAL_LIMIT_MS,
      async () => model.callsOf(number).length >= callCount,
    );
    if (!hasArrived) throw new Error('The model was not called in time');
  };
  if (target === undefined) return await whenDue();
  await strikeAndRestart(system, { targets: [target], signal: 'SIGKILL' }, whenDue);
  await untilReady(system);
};

/** Starts a debate as a task, strikes in its first round, and picks it up by its id. */
const runTask = async (
  plan: Plan,
  bench: ReplayBench,
  proofIds: string[],
): Promise<RoundOutcome> => {
  await untilReady(bench.system);
  const meta = { 'dev.witan/idempotencyKey': `task-${plan.number}` };
  const start = async () =>
    (await openCaller(bench)).callTool(
      'ask_council',
      { content: toQuestion(plan.number) },
      { capabilities: TASKS, meta },
    );
  const { result: started } = await start();
  // The question is framed, and the agents are being asked.
  await strikeInFlight(plan, bench, 3);
  const { result: retried } = await start();
  const taskId = started.taskId!;
  const ended = await until(END_LIMIT_MS, () => readTask(bench, taskId));
  const calls = bench.model.callsOf(plan.number).map(({ key }) => key);
  proofIds.push(...(ended?.result?._meta['dev.witan/proof'].proofIds ?? []));
  return {
    figures: { calls: calls.length, status: ended?.status ?? 'none' },
    violations: findTaskViolations({ taskId, retriedId: retried.taskId, ended, calls, ...plan }),
  };
};

type Task = { status: string; result?: ToolResult };

const readTask = async (bench: ReplayBench, taskId: string): Promise<Task | undefined> => {
  try {
    const caller = await openCaller(bench);
    const { result } = await caller.request('tasks/get', { taskId }, { capabilities: TASKS });
    const task = result as Task | undefined;
    return task === undefined || task.status === 'working' ? undefined : task;
  } catch {
    // A process may be restarting, so the task is read again at the next poll.
    return undefined;
  }
};

/** Calls a tool with an idempotency key, strikes during its model call, and repeats the call. */
const runToolCall = async (
  plan: Plan,
  bench: ReplayBench,
  proofIds: string[],
): Promise<RoundOutcome> => {
  await untilReady(bench.system);
  const content = `Plain question ${plan.number}: shall we?`;
  const args = { systemPrompt: 'Be brief.', messages: [{ role: 'user', content }] };
  const meta = { 'dev.witan/idempotencyKey': `call-${plan.number}` };
  const call = async () => (await openCaller(bench)).callTool('complete', args, { meta });
  const first = call().catch(() => undefined);
  await strikeInFlight(plan, bench, 1);
  const firstResult = (await first)?.result;
  const retried = (await call()).result;
  const repeated = (await call()).result;
  const results = [firstResult, retried, repeated].filter(
    (one) => one !== undefined && one.isError !== true,
  );
  const ids = [...new Set(results.flatMap((one) => one!._meta['dev.witan/proof'].proofIds))];
  proofIds.push(...ids);
  const calls = bench.model.callsOf(plan.number).length;
  const code = retried.isError ? retried._meta['dev.witan/error'].code : 'result';
  return {
    figures: { calls, retried: code },
    violations: findToolViolations({ ids, calls, code, ...plan }),
  };
};
