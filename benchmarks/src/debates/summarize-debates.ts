import { atMost } from '../report/aim.ts';
import type { Aim } from '../report/aim.ts';
import { median, medianByName } from '../report/median.ts';
import { listParts } from '../report/print-report.ts';
import type { Table } from '../report/print-table.ts';
import type { DebateLoad, DebateRow } from './debate-row.ts';

type Percentiles = Readonly<Record<'p50' | 'p95', number>>;

/** Medians of a row over all benchmark rounds; times in milliseconds. */
export type DebateSummary = DebateLoad & {
  wallMs: Percentiles;
  criticalMs: Percentiles;
  ratio: Percentiles;
  burstOverheadMs: Percentiles;
  roundOverheadMs: Percentiles;
  frameOverheadMs: Percentiles;
  synthesisOverheadMs: Percentiles;
  tailMs: Percentiles;
  perSecond: number;
  tokens: number;
  tokensOfFormula: number;
  cpuPer1000: number;
  cpuPer1000By: Readonly<Record<string, number>>;
};

/** Returns one summary per row, in the order of measurement. */
export const summarizeDebates = (rows: readonly DebateRow[]): DebateSummary[] => {
  const groups = Map.groupBy(rows, (row) => `${row.agents} ${row.delayMs} ${row.inFlight}`);
  return [...groups.values()].map((group) => {
    const { agents, delayMs, inFlight } = group[0]!;
    const medianOf = (read: (row: DebateRow) => number): number => median(group.map(read));
    const both = (read: (row: DebateRow) => Percentiles): Percentiles => ({
      p50: medianOf((row) => read(row).p50),
      p95: medianOf((row) => read(row).p95),
    });
    return {
      agents,
      delayMs,
      inFlight,
      wallMs: both((row) => row.wallMs),
      criticalMs: both((row) => row.criticalMs),
      ratio: both((row) => row.ratio),
      burstOverheadMs: both((row) => row.burstOverheadMs),
      roundOverheadMs: both((row) => row.roundOverheadMs),
      frameOverheadMs: both((row) => row.frameOverheadMs),
      synthesisOverheadMs: both((row) => row.synthesisOverheadMs),
      tailMs: both((row) => row.tailMs),
      perSecond: medianOf((row) => row.perSecond),
      tokens: medianOf((row) => row.tokens),
      tokensOfFormula: medianOf((row) => row.tokens / row.formulaTokens),
      cpuPer1000: medianOf((row) => row.cpuPer1000),
      cpuPer1000By: medianByName(group.map((row) => row.cpuPer1000By)),
    };
  });
};

export const toDebateTable = (rows: readonly DebateSummary[]): Table => ({
  title: 'debates of two rounds; ms, medians; CPU in seconds per 1,000 debates',
  headings: [
    'agents',
    'delay',
    'at once',
    'wall',
    'p95',
    'critical',
    'ratio',
    'p95',
    'burst +',
    'round +',
    'p95',
    'frame +',
    'synthesis +',
    'tail',
    '/s',
    'tokens',
    'of formula',
    'CPU',
    'of',
  ],
  rows: rows.map((row) => [
    String(row.agents),
    String(row.delayMs),
    String(row.inFlight),
    row.wallMs.p50.toFixed(1),
    row.wallMs.p95.toFixed(1),
    row.criticalMs.p50.toFixed(1),
    row.ratio.p50.toFixed(3),
    row.ratio.p95.toFixed(3),
    row.burstOverheadMs.p50.toFixed(1),
    row.roundOverheadMs.p50.toFixed(1),
    row.roundOverheadMs.p95.toFixed(1),
    row.frameOverheadMs.p50.toFixed(1),
    row.synthesisOverheadMs.p50.toFixed(1),
    row.tailMs.p50.toFixed(1),
    row.perSecond.toFixed(1),
    row.tokens.toFixed(0),
    row.tokensOfFormula.toFixed(3),
    row.cpuPer1000.toFixed(1),
    listParts(row.cpuPer1000By),
  ]),
});

/** Maximum ratio of a debate's duration to its critical path, at the longest provider delay. */
const RATIO_AIM = 1.15;
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

/** Returns the overhead of a round minus the overhead of the same calls without a debate. */
const overheadAddedByDebate = (row: DebateSummary | undefined): number =>
  row ? row.roundOverheadMs.p95 - row.burstOverheadMs.p50 : Number.NaN;
