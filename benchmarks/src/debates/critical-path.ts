import type { CallTimes } from './council-provider.ts';

/** One debate as its client and its provider saw it; milliseconds of one clock. */
export type DebateTimes = { sentAt: number; endedAt: number; calls: readonly CallTimes[] };

/** What a debate took, and what its models took of that. */
export type DebatePath = {
  wallMs: number;
  /** Frame, the slowest agent of each round, and synthesis: what no orchestration can save. */
  criticalMs: number;
  /**
   * Of each round: from the provider's last word before it to its last word in it, less the slowest
   * call in it.
   */
  roundOverheadsMs: number[];
  /** The same of the frame, from the client's sending; and of the synthesis. */
  frameOverheadMs: number;
  synthesisOverheadMs: number;
  /** From the provider's last word to the client's last byte. */
  tailMs: number;
};

/** Splits a debate's time, of which all is in one of the parts. Throws when a call is missing. */
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
 * Tokens of a debate by the formula of its protocol: n R (S + Q) + (R - 1) n² s + n R o, and its
 * frame and synthesis. S + Q is what the prompts of the first round hold, o an answer.
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
  const said = mean(agents.map(({ completionTokens }) => completionTokens));
  const others = calls.filter(({ kind }) => kind !== 'agent');
  return {
    measured: calls.reduce((sum, call) => sum + toTokens(call), 0),
    formula:
      agentCount * rounds * (asked + said) +
      (rounds - 1) * agentCount ** 2 * SUMMARY_TOKENS +
      others.reduce((sum, call) => sum + toTokens(call), 0),
  };
};

/** `s`: most that an agent is shown of another. */
const SUMMARY_TOKENS = 120;

const toTokens = ({ promptTokens, completionTokens }: CallTimes): number =>
  promptTokens + completionTokens;
