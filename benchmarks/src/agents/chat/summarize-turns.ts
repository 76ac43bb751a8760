import type { LatencySummary } from '../../load/latency-summary.ts';
import type { RowMeasurement } from '../../measure-row.ts';
import { atMost, PARTS_COLUMN, ratioColumns, toTable } from '../../report/print-report.ts';
import type { Aim, Table } from '../../report/print-report.ts';
import { medianRows } from '../../report/summarize-rows.ts';

/**
 * Medians of a row over all benchmark rounds; times in milliseconds, CPU in seconds per 1,000
 * calls.
 */
export type ChatSummary = Omit<ChatRow, 'round'> & {
  /** Differences and ratios to other systems at the same delay and concurrency. */
  ratios: Readonly<Record<string, number>>;
};

/** Returns one summary per delay, concurrency and system, in the order of measurement. */
export const summarizeTurns = (rows: readonly ChatRow[]): ChatSummary[] => {
  const medians = medianRows(rows, (row) => `${row.delayMs} ${row.inFlight} ${row.system}`);
  return medians.map((row) => {
    const find = (system: ChatSystem) =>
      medians.find((one) => one.system === system && isSameLoad(one, row));
    const bare = find('bare');
    const completion = row.system.startsWith('turn') ? find('completion') : undefined;
    const turn = row.system === 'turn, one tool' ? find('turn') : undefined;
    const same = row.system === 'turn, over MCP' ? find('turn') : undefined;
    const ratios = {
      ...(bare && bare !== row ? { 'p50 - bare': row.overheadMs.p50 - bare.overheadMs.p50 } : {}),
      ...(completion
        ? {
            'p50 - completion': row.overheadMs.p50 - completion.overheadMs.p50,
            'CPU of completion': row.cpuPer1000 / completion.cpuPer1000,
          }
        : {}),
      ...(turn ? { [TOOL_CALL_RATIO]: row.overheadMs.p50 - turn.overheadMs.p50 } : {}),
      ...(same
        ? {
            [MCP_RATIO]: row.overheadMs.p50 / same.overheadMs.p50,
            [MCP_CPU_RATIO]: row.cpuPer1000 / same.cpuPer1000,
          }
        : {}),
    };
    return { ...row, ratios };
  });
};

/** Name of the ratio with the milliseconds that one tool call adds to a turn. */
const TOOL_CALL_RATIO = 'p50 - turn';

/** Names of the ratios of a turn over MCP to the same turn over HTTP. */
const MCP_RATIO = 'p50 of turn';
const MCP_CPU_RATIO = 'CPU of turn';

type Load = Pick<ChatSummary, 'delayMs' | 'inFlight'>;

const isSameLoad = (one: Load, other: Load): boolean =>
  one.delayMs === other.delayMs && one.inFlight === other.inFlight;

export const toTurnTable = (rows: readonly ChatSummary[]): Table =>
  toTable('turns; ms over the provider, medians; CPU in seconds per 1,000', rows, [
    ['delay', ({ delayMs }) => String(delayMs)],
    ['at once', ({ inFlight }) => String(inFlight)],
    ['system', ({ system }) => system],
    ['/s', ({ perSecond }) => perSecond.toFixed(0)],
    ['p50', ({ overheadMs }) => overheadMs.p50.toFixed(2)],
    ['p95', ({ overheadMs }) => overheadMs.p95.toFixed(2)],
    ['p99', ({ overheadMs }) => overheadMs.p99.toFixed(2)],
    ['first byte', ({ firstByteOverheadMs }) => firstByteOverheadMs?.p50.toFixed(2)],
    ['p95', ({ firstByteOverheadMs }) => firstByteOverheadMs?.p95.toFixed(2)],
    ['CPU', ({ cpuPer1000 }) => cpuPer1000.toFixed(3)],
    ...ratioColumns(rows),
    PARTS_COLUMN,
  ]);

/** Maximum p50 of a turn in milliseconds, without the provider's time. */
const OVERHEAD_AIM_MS = 15;
/**
 * Maximum milliseconds that one tool call adds to the p50 of a turn, without the time of provider
 * and tool.
 */
const TOOL_CALL_AIM_MS = 10;
/** Maximum of both ratios of a turn over MCP to the same turn over HTTP. */
const MCP_AIM = 1.3;
/** Systems whose overhead has an aim; turns that write memories have none. */
const SYSTEMS_WITH_AIM: readonly ChatSystem[] = ['turn', 'turn, streamed'];

type ChatLoads = { delaysMs: readonly number[]; inFlight: readonly number[] };

/**
 * Compares turns with their aims. Concurrent turns are judged only with a provider delay, because
 * turns without a delay mostly wait for each other. Turns with a tool call are judged only without
 * concurrency. An unmeasured aim counts as missed.
 */
export const judgeTurns = (
  rows: readonly ChatSummary[],
  { delaysMs, inFlight }: ChatLoads,
): Aim[] =>
  delaysMs.flatMap((delayMs) =>
    inFlight
      .filter((count) => count === 1 || delayMs > 0)
      .flatMap((count) => judgeLoad(rows, { delayMs, inFlight: count })),
  );

const judgeLoad = (rows: readonly ChatSummary[], load: Load): Aim[] => {
  const find = (system: ChatSystem): ChatSummary | undefined =>
    rows.find((one) => one.system === system && isSameLoad(one, load));
  const loadName = `${load.delayMs} ms, ${load.inFlight} at once`;
  const aims = SYSTEMS_WITH_AIM.map((system) => {
    const measured = find(system)?.overheadMs.p50 ?? Number.NaN;
    return atMost(`p50 over the provider, ${system}, ${loadName}`, 'ms', OVERHEAD_AIM_MS, measured);
  });
  if (load.inFlight > 1) return aims;
  const overMcp = find('turn, over MCP')?.ratios;
  const added = find('turn, one tool')?.ratios[TOOL_CALL_RATIO] ?? Number.NaN;
  return [
    ...aims,
    atMost(`p50 that a round of tools adds, ${loadName}`, 'ms', TOOL_CALL_AIM_MS, added),
    ...[MCP_RATIO, MCP_CPU_RATIO].map((ratio) =>
      atMost(`${ratio}, over MCP, ${loadName}`, 'times', MCP_AIM, overMcp?.[ratio] ?? Number.NaN),
    ),
  ];
};

/**
 * `bare`: the provider call through a plain HTTP pipe. `completion`: the same call as a completion
 * of Witan. All other systems are agent turns.
 */
export type ChatSystem =
  | 'bare'
  | 'completion'
  | 'turn'
  | 'turn, over MCP'
  | 'turn, streamed'
  | 'turn, remembering'
  | 'turn, one tool';

/** All systems in the order of measurement. */
export const CHAT_SYSTEMS: readonly ChatSystem[] = [
  'bare',
  'completion',
  'turn',
  'turn, over MCP',
  'turn, streamed',
  'turn, remembering',
  'turn, one tool',
];

/**
 * Result of one run of calls; `overheadMs` is the duration of the calls without the provider's
 * time.
 */
export type ChatMeasurement = RowMeasurement & {
  overheadMs: LatencySummary;
  /** Overhead until the first byte; set for streamed responses only. */
  firstByteOverheadMs?: LatencySummary;
};

export type ChatRow = ChatMeasurement & {
  system: ChatSystem;
  delayMs: number;
  inFlight: number;
  round: number;
};
