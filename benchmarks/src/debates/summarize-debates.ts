import type { CpuSeconds } from '../cpu/cpu-account.ts';
import type { LatencySummary } from '../load/latency-summary.ts';
import { atMost, PARTS_COLUMN, toTable } from '../report/print-report.ts';
import type { Aim, Table } from '../report/print-report.ts';
import { medianRows } from '../report/summarize-rows.ts';

/** Medians of a row over all benchmark rounds; times in milliseconds. */
export type DebateSummary = Omit<DebateRow, 'round'> & { tokensOfFormula: number };

/** Returns one summary per row, in the order of measurement. */
export const summarizeDebates = (rows: readonly DebateRow[]): DebateSummary[] =>
  medianRows(
    rows.map((row) => ({ ...row, tokensOfFormula: row.tokens / row.formulaTokens })),
    ({ agents, delayMs, inFlight }) => `${agents} ${delayMs} ${inFlight}`,
  );

export const toDebateTable = (rows: readonly DebateSummary[]): Table =>
  toTable('debates of two rounds; ms, medians; CPU in seconds per 1,000 debates', rows, [
    ['agents', ({ agents }) => String(agents)],
    ['delay', ({ delayMs }) => String(delayMs)],
    ['at once', ({ inFlight }) => String(inFlight)],
    ['wall', ({ wallMs }) => wallMs.p50.toFixed(1)],
    ['p95', ({ wallMs }) => wallMs.p95.toFixed(1)],
    ['critical', ({ criticalMs }) => criticalMs.p50.toFixed(1)],
    ['ratio', ({ ratio }) => ratio.p50.toFixed(3)],
    ['p95', ({ ratio }) => ratio.p95.toFixed(3)],
    ['burst +', ({ burstOverheadMs }) => burstOverheadMs.p50.toFixed(1)],
    ['round +', ({ roundOverheadMs }) => roundOverheadMs.p50.toFixed(1)],
    ['p95', ({ roundOverheadMs }) => roundOverheadMs.p95.toFixed(1)],
    ['frame +', ({ frameOverheadMs }) => frameOverheadMs.p50.toFixed(1)],
    ['synthesis +', ({ synthesisOverheadMs }) => synthesisOverheadMs.p50.toFixed(1)],
    ['tail', ({ tailMs }) => tailMs.p50.toFixed(1)],
    ['/s', ({ perSecond }) => perSecond.toFixed(1)],
    ['tokens', ({ tokens }) => tokens.toFixed(0)],
    ['of formula', ({ tokensOfFormula }) => tokensOfFormula.toFixed(3)],
    ['CPU', ({ cpuPer1000 }) => cpuPer1000.toFixed(1)],
    PARTS_COLUMN,
  ]);

/** Maximum ratio of a debate's duration to its critical path, at the longest provider delay. */
const RATIO_AIM = 1.1;
/** Maximum milliseconds that a round may take beyond the same calls without a debate. */
const ROUND_AIM_MS = 30;
const ROUND_AIM_AGENTS = 8;
/**
 * Maximum ratio of measured tokens to the formula's. The formula omits the task text of later
 * rounds, which is 5 % of the tokens with two agents.
 */
const TOKENS_AIM = 1.1;

/**
 * Compares the rows without concurrent debates with their aims. An unmeasured aim counts as missed.
 */
export const judgeDebates = (
  rows: readonly DebateSummary[],
  { agents, delaysMs }: { agents: readonly number[]; delaysMs: readonly number[] },
): Aim[] => {
  const find = (count: number, delayMs: number): DebateSummary | undefined =>
    rows.find((row) => row.agents === count && row.delayMs === delayMs && row.inFlight === 1);
  const longestDelayMs = Math.max(...delaysMs);
  return [
    ...agents.map((count) =>
      atMost(
        `p50 of wall over critical path, ${count} agents, ${longestDelayMs} ms`,
        'times',
        RATIO_AIM,
        find(count, longestDelayMs)?.ratio.p50 ?? Number.NaN,
      ),
    ),
    ...delaysMs.map((delayMs) =>
      atMost(
        `p95 that a round adds to its calls, ${ROUND_AIM_AGENTS} agents, ${delayMs} ms`,
        'ms',
        ROUND_AIM_MS,
        overheadAddedByDebate(find(ROUND_AIM_AGENTS, delayMs)),
      ),
    ),
    ...agents.map((count) =>
      atMost(
        `tokens, ${count} agents`,
        'of the formula',
        TOKENS_AIM,
        find(count, longestDelayMs)?.tokensOfFormula ?? Number.NaN,
      ),
    ),
  ];
};

/**
 * Returns the p95 overhead of a round minus the median overhead of the same calls without a debate.
 */
const overheadAddedByDebate = (row: DebateSummary | undefined): number =>
  row ? row.roundOverheadMs.p95 - row.burstOverheadMs.p50 : Number.NaN;

export type DebateLoad = {
  agents: number;
  /** The fake provider's delay before each answer. */
  delayMs: number;
  /** Number of concurrent debates. */
  inFlight: number;
};

/** Results of one load in one benchmark round; times in milliseconds. */
export type DebateRow = DebateLoad & {
  round: number;
  debates: number;
  wallMs: LatencySummary;
  criticalMs: LatencySummary;
  /** Duration of a debate divided by its critical path. */
  ratio: LatencySummary;
  /** Overhead of a burst: one concurrent completion per agent, without a debate. */
  burstOverheadMs: LatencySummary;
  roundOverheadMs: LatencySummary;
  frameOverheadMs: LatencySummary;
  synthesisOverheadMs: LatencySummary;
  tailMs: LatencySummary;
  perSecond: number;
  /** Mean number of measured tokens per debate. */
  tokens: number;
  formulaTokens: number;
  /** CPU seconds per 1,000 debates. */
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  bystanderCpuPer1000By: CpuSeconds;
};
