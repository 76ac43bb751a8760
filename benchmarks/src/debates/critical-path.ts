import type { CallTimes } from './council-provider.ts';

/**
 * Start and end of a debate at the client, and its calls at the provider, in milliseconds on one
 * clock.
 */
export type DebateTimes = { sentAt: number; endedAt: number; calls: readonly CallTimes[] };

export type DebatePath = {
  wallMs: number;
  /**
   * Sum of the framing, the slowest call of each round, and the synthesis: the minimum duration for
   * any orchestration.
   */
  criticalMs: number;
  /**
   * Overhead of each round: the time from the provider's last byte of the previous step to its last
   * byte of this round, minus the slowest call of the round.
   */
  roundOverheadsMs: number[];
  /**
   * Overhead of the framing: the time from the client's request to the provider's last byte of the
   * framing, minus the call itself.
   */
  frameOverheadMs: number;
  synthesisOverheadMs: number;
  /** Time from the provider's last byte to the client's last byte. */
  tailMs: number;
};

/**
 * Splits a debate's duration into the provider's time and the overhead of each step. Throws if a
 * step has no call.
 */
export const toDebatePath = ({ sentAt, endedAt, calls }: DebateTimes): DebatePath => {
  const rounds = new Set(calls.map(({ round }) => round).filter((round) => round > 0)).size;
  const phases = [
    calls.filter(({ kind }) => kind === 'frame'),
    ...Array.from({ length: rounds }, (_, at) => calls.filter(({ round }) => round === at + 1)),
    calls.filter(({ kind }) => kind === 'synthesis'),
  ];
  let before = sentAt;
  let criticalMs = 0;
  const overheads = phases.map((phase) => {
    if (phase.length === 0) throw new Error('A debate has no call for one of its steps.');
    const slowestMs = Math.max(...phase.map((call) => call.endedAt - call.arrivedAt));
    const last = Math.max(...phase.map((call) => call.endedAt));
    const overhead = last - before - slowestMs;
    before = last;
    criticalMs += slowestMs;
    return overhead;
  });
  return {
    wallMs: endedAt - sentAt,
    criticalMs,
    roundOverheadsMs: overheads.slice(1, -1),
    frameOverheadMs: overheads[0]!,
    synthesisOverheadMs: overheads.at(-1)!,
    tailMs: endedAt - before,
  };
};

/**
 * Returns the tokens of a debate, measured and by the protocol's formula for n agents and R rounds:
 * n R (S + Q) + (R - 1) n² s + n R o, plus framing and synthesis. S + Q is the prompt of the first
 * round, s another agent's answer as shown to an agent, and o an answer.
 */
export const toFormulaTokens = (
  calls: readonly CallTimes[],
): { measured: number; formula: number } => {
  const agents = calls.filter(({ kind }) => kind === 'agent');
  const first = agents.filter(({ round }) => round === 1);
  const agentCount = first.length;
  const rounds = Math.max(...agents.map(({ round }) => round));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, one) => sum + one, 0) / values.length;
  const firstPromptTokens = mean(first.map(({ promptTokens }) => promptTokens));
  const answerTokens = mean(agents.map(({ completionTokens }) => completionTokens));
  const others = calls.filter(({ kind }) => kind !== 'agent');
  return {
    measured: calls.reduce((sum, call) => sum + toTokens(call), 0),
    formula:
      agentCount * rounds * (firstPromptTokens + answerTokens) +
      (rounds - 1) * agentCount ** 2 * SUMMARY_TOKENS +
      others.reduce((sum, call) => sum + toTokens(call), 0),
  };
};

/** The `s` of the formula: the maximum tokens of another agent's answer in a prompt. */
const SUMMARY_TOKENS = 120;

const toTokens = ({ promptTokens, completionTokens }: CallTimes): number =>
  promptTokens + completionTokens;

/** Throws unless the reported usage is the sum over the provider's calls. */
export const checkTokens = (
  name: string,
  { usage }: { usage: { totalTokens: number } },
  calls: readonly CallTimes[],
): void => {
  const counted = calls.reduce((sum, call) => sum + toTokens(call), 0);
  if (usage.totalTokens === counted) return;
  throw new Error(`${name} reported ${usage.totalTokens} tokens, its calls used ${counted}.`);
};
