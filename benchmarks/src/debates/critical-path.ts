import type { CallTimes } from './council-provider.ts';

/** Times of a debate at client and provider, in milliseconds of one clock. */
export type DebateTimes = { sentAt: number; endedAt: number; calls: readonly CallTimes[] };

export type DebatePath = {
  wallMs: number;
  /**
   * Time of framing, the slowest agent of each round, and synthesis: the minimum for any
   * orchestration.
   */
  criticalMs: number;
  /**
   * Overhead of each round: the time from the provider's last byte before the round to its last
   * byte in it, without the slowest call.
   */
  roundOverheadsMs: number[];
  /** Overhead of the framing, counted from the client's request. */
  frameOverheadMs: number;
  synthesisOverheadMs: number;
  /** Time from the provider's last byte to the client's last byte. */
  tailMs: number;
};

/** Splits a debate's time into disjoint parts. Throws if a call is missing. */
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
    if (phase.length === 0) throw new Error('A debate went without one of its steps.');
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
 * Returns the tokens of a debate by the protocol's formula: n R (S + Q) + (R - 1) n² s + n R o,
 * plus framing and synthesis. S + Q are the prompts of the first round, o is an answer.
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
  const asked = mean(first.map(({ promptTokens }) => promptTokens));
  const answerTokens = mean(agents.map(({ completionTokens }) => completionTokens));
  const others = calls.filter(({ kind }) => kind !== 'agent');
  return {
    measured: calls.reduce((sum, call) => sum + toTokens(call), 0),
    formula:
      agentCount * rounds * (asked + answerTokens) +
      (rounds - 1) * agentCount ** 2 * SUMMARY_TOKENS +
      others.reduce((sum, call) => sum + toTokens(call), 0),
  };
};

/** The `s` of the formula: the most tokens of another agent's answer that an agent is shown. */
const SUMMARY_TOKENS = 120;

const toTokens = ({ promptTokens, completionTokens }: CallTimes): number =>
  promptTokens + completionTokens;
