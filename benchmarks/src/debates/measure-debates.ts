import { summarizeEach, summarizeLatencies, monotonicMs } from '../load/latency-summary.ts';
import type { LatencySummary } from '../load/latency-summary.ts';
import { measureCpu } from '../measure-row.ts';
import { checkTokens, toDebatePath, toFormulaTokens } from './critical-path.ts';
import type { DebateTimes } from './critical-path.ts';
import { makeQuestion } from './council-play.ts';
import type { DebateLoad, DebateRow } from './summarize-debates.ts';
import type { DebateAnswer, DebateTestbed } from './open-debate-testbed.ts';

/**
 * `lastQuestion`: number of the last question. `ids`: proof ids. `calls`: number of provider calls
 * so far.
 */
export type DebateTally = { lastQuestion: number; ids: string[]; calls: number };

const PATH_FIGURES = [
  'wallMs',
  'criticalMs',
  'ratio',
  'frameOverheadMs',
  'synthesisOverheadMs',
  'tailMs',
] as const;

/**
 * Runs debates, checks their calls and tokens, and returns their duration, split into model time
 * and overhead.
 */
export const measureDebates = async (
  testbed: DebateTestbed,
  load: DebateLoad & { debates: number },
  tally: DebateTally,
): Promise<Omit<DebateRow, 'round'>> => {
  const { witan, provider } = testbed;
  await provider.execute({ kind: 'reset', delayMs: load.delayMs });
  const measuredProcesses = { counted: witan.processes, bystanders: { provider: provider.pid } };
  const measured = await measureCpu(measuredProcesses, () =>
    runConcurrentDebates(testbed, load, tally),
  );
  const { ended, elapsedMs, calls: _debates, ...cpu } = measured;
  const report = await provider.execute({ kind: 'report' });
  const calls = Map.groupBy(report.calls, ({ debate }) => debate);
  const all = ended.map((one) => ({ ...one, calls: calls.get(one.debate) ?? [] }));
  const paths = all
    .map(toDebatePath)
    .map((path) => ({ ...path, ratio: path.wallMs / path.criticalMs }));
  for (const one of all) checkDebate(one, load);
  tally.calls += all.reduce((sum, one) => sum + one.calls.length, 0);
  tally.ids.push(...all.flatMap(({ answer }) => answer.proofs));
  const tokens = all.map((one) => toFormulaTokens(one.calls));
  return {
    ...load,
    ...cpu,
    ...summarizeEach(PATH_FIGURES, paths),
    burstOverheadMs: await measureBursts(testbed, { ...load, body: report.agentBody }, tally),
    roundOverheadMs: summarizeLatencies(paths.flatMap((path) => path.roundOverheadsMs)),
    perSecond: all.length / (elapsedMs / 1_000),
    tokens: tokens.reduce((sum, { measured: one }) => sum + one, 0) / tokens.length,
    formulaTokens: tokens.reduce((sum, { formula }) => sum + formula, 0) / tokens.length,
  };
};

/**
 * Sends the calls of one round as concurrent completions without a debate, `load.debates` times.
 * Returns the overhead of these bursts, which only the gateway causes.
 */
const measureBursts = async (
  testbed: DebateTestbed,
  load: DebateLoad & { debates: number; body: string },
  tally: DebateTally,
): Promise<LatencySummary> => {
  const { provider } = testbed;
  const overheads: number[] = [];
  for (let at = 0; at < load.debates; at += 1) {
    await provider.execute({ kind: 'reset', delayMs: load.delayMs });
    tally.lastQuestion += 1;
    const body = load.body.replace(/Question \d+:/, `Question ${tally.lastQuestion}:`);
    const sentAt = monotonicMs();
    const requests = Array.from({ length: load.agents }, () => testbed.sendCompletion(body));
    tally.ids.push(...(await Promise.all(requests)));
    const { calls } = await provider.execute({ kind: 'report' });
    tally.calls += calls.length;
    const slowestMs = Math.max(...calls.map(({ arrivedAt, endedAt }) => endedAt - arrivedAt));
    overheads.push(Math.max(...calls.map(({ endedAt }) => endedAt)) - sentAt - slowestMs);
  }
  return summarizeLatencies(overheads);
};

type FinishedDebate = Omit<DebateTimes, 'calls'> & { debate: number; answer: DebateAnswer };

/**
 * Runs debates; the returned `calls` is the number of debates, so that CPU is measured per debate.
 */
const runConcurrentDebates = async (
  testbed: DebateTestbed,
  { debates, inFlight }: Pick<DebateLoad, 'inFlight'> & { debates: number },
  tally: DebateTally,
): Promise<{ calls: number; ended: FinishedDebate[]; elapsedMs: number }> => {
  const conversations: string[] = [];
  for (let at = 0; at < debates; at += 1) conversations.push(await testbed.createConversation());
  const ended: FinishedDebate[] = [];
  const startedAt = monotonicMs();
  const runDebates = async (): Promise<void> => {
    for (let id = conversations.pop(); id !== undefined; id = conversations.pop()) {
      tally.lastQuestion += 1;
      const debate = tally.lastQuestion;
      const sentAt = monotonicMs();
      const answer = await testbed.runDebate(id, makeQuestion(debate));
      ended.push({ debate, sentAt, endedAt: monotonicMs(), answer });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, runDebates));
  return { calls: debates, ended, elapsedMs: monotonicMs() - startedAt };
};

/**
 * Number of rounds: the agents disagree and none changes its stance, so a debate ends after two.
 */
const ROUNDS = 2;

const checkDebate = (
  { answer, calls, debate }: DebateTimes & Pick<FinishedDebate, 'answer' | 'debate'>,
  { agents }: DebateLoad,
): void => {
  const expectedCalls = agents * ROUNDS + 2;
  if (answer.debates.length !== ROUNDS || calls.length !== expectedCalls) {
    const actual = `${answer.debates.length} rounds and ${calls.length} calls`;
    throw new Error(`Debate ${debate} took ${actual}, not ${ROUNDS} and ${expectedCalls}.`);
  }
  checkTokens(`Debate ${debate}`, answer, calls);
};
