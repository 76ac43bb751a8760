import { summarizeLatencies } from '../load/latency-summary.ts';
import type { LatencySummary } from '../load/latency-summary.ts';
import { monotonicMs } from '../load/monotonic-clock.ts';
import { accountCpu } from '../measure-row.ts';
import { toDebatePath, toFormulaTokens } from './critical-path.ts';
import type { DebateTimes } from './critical-path.ts';
import { makeQuestion } from './council-play.ts';
import type { DebateLoad, DebateRow } from './debate-row.ts';
import type { DebateAnswer, DebateStage } from './open-debate-stage.ts';

/**
 * `next`: number of the last question. `ids`: proof ids. `calls`: number of provider calls so far.
 */
export type DebateTally = { next: number; ids: string[]; calls: number };

/**
 * Runs debates, checks their calls and tokens, and returns their duration, split between models and
 * overhead.
 */
export const measureDebates = async (
  stage: DebateStage,
  load: DebateLoad & { debates: number },
  held: DebateTally,
): Promise<Omit<DebateRow, 'round'>> => {
  const { witan, provider } = stage;
  await provider.ask({ kind: 'begin', delayMs: load.delayMs });
  const accounted = { counted: witan.processes, bystanders: { provider: provider.pid } };
  const measured = await accountCpu(accounted, () => runConcurrentDebates(stage, load, held));
  const { ended, elapsedMs, calls: _debates, ...cpu } = measured;
  const report = await provider.ask({ kind: 'report' });
  const calls = Map.groupBy(report.calls, ({ debate }) => debate);
  const all = ended.map((one) => ({ ...one, calls: calls.get(one.debate) ?? [] }));
  const paths = all.map((one) => toDebatePath(one));
  for (const one of all) checkDebate(one, load);
  held.calls += all.reduce((sum, one) => sum + one.calls.length, 0);
  held.ids.push(...all.flatMap(({ answer }) => answer.proofs));
  const tokens = all.map((one) => toFormulaTokens(one.calls));
  return {
    ...load,
    ...cpu,
    wallMs: summarizeLatencies(paths.map(({ wallMs }) => wallMs)),
    criticalMs: summarizeLatencies(paths.map(({ criticalMs }) => criticalMs)),
    ratio: summarizeLatencies(paths.map(({ wallMs, criticalMs }) => wallMs / criticalMs)),
    burstOverheadMs: await measureBursts(stage, { ...load, body: report.agentBody }, held),
    roundOverheadMs: summarizeLatencies(paths.flatMap((path) => path.roundOverheadsMs)),
    frameOverheadMs: summarizeLatencies(paths.map((path) => path.frameOverheadMs)),
    synthesisOverheadMs: summarizeLatencies(paths.map((path) => path.synthesisOverheadMs)),
    tailMs: summarizeLatencies(paths.map(({ tailMs }) => tailMs)),
    perSecond: all.length / (elapsedMs / 1_000),
    tokens: tokens.reduce((sum, { measured: one }) => sum + one, 0) / tokens.length,
    formulaTokens: tokens.reduce((sum, { formula }) => sum + formula, 0) / tokens.length,
  };
};

/**
 * Sends the calls of one round as concurrent completions without a debate, several times. Returns
 * their overhead, which is the gateway's.
 */
const measureBursts = async (
  stage: DebateStage,
  load: DebateLoad & { debates: number; body: string },
  held: DebateTally,
): Promise<LatencySummary> => {
  const { provider } = stage;
  const overheads: number[] = [];
  for (let at = 0; at < load.debates; at += 1) {
    await provider.ask({ kind: 'begin', delayMs: load.delayMs });
    held.next += 1;
    const body = load.body.replace(/Question \d+:/, `Question ${held.next}:`);
    const sentAt = monotonicMs();
    const many = Array.from({ length: load.agents }, () => stage.complete(body));
    held.ids.push(...(await Promise.all(many)));
    const { calls } = await provider.ask({ kind: 'report' });
    held.calls += calls.length;
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
  stage: DebateStage,
  { debates, inFlight }: Pick<DebateLoad, 'inFlight'> & { debates: number },
  held: DebateTally,
): Promise<{ calls: number; ended: FinishedDebate[]; elapsedMs: number }> => {
  const conversations: string[] = [];
  for (let at = 0; at < debates; at += 1) conversations.push(await stage.begin());
  const ended: FinishedDebate[] = [];
  const startedAt = monotonicMs();
  const holdNext = async (): Promise<void> => {
    for (let id = conversations.pop(); id !== undefined; id = conversations.pop()) {
      held.next += 1;
      const debate = held.next;
      const sentAt = monotonicMs();
      const answer = await stage.debate(id, makeQuestion(debate));
      ended.push({ debate, sentAt, endedAt: monotonicMs(), answer });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, holdNext));
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
  const wanted = agents * ROUNDS + 2;
  if (answer.debates.length !== ROUNDS || calls.length !== wanted) {
    const took = `${answer.debates.length} rounds and ${calls.length} calls`;
    throw new Error(`Debate ${debate} took ${took}, not ${ROUNDS} and ${wanted}.`);
  }
  const counted = calls.reduce((sum, one) => sum + one.promptTokens + one.completionTokens, 0);
  if (answer.usage.totalTokens !== counted) {
    const reportedTokens = `${answer.usage.totalTokens} tokens, its calls were ${counted}`;
    throw new Error(`Debate ${debate} was told as ${reportedTokens}.`);
  }
};
