import type { CpuSeconds } from '../../cpu/cpu-account.ts';
import { atMost } from '../../report/aim.ts';
import type { Aim } from '../../report/aim.ts';
import { median, medianByName } from '../../report/median.ts';
import { listParts } from '../../report/print-report.ts';
import type { Table } from '../../report/print-table.ts';
import type { ChatRow, ChatSystem } from './chat-row.ts';

type Percentiles = Readonly<Record<'p50' | 'p95' | 'p99', number>>;

/**
 * Medians of a row over all benchmark rounds; times in milliseconds, CPU in seconds per 1,000
 * calls.
 */
export type ChatSummary = {
  system: ChatSystem;
  delayMs: number;
  inFlight: number;
  perSecond: number;
  overheadMs: Percentiles;
  firstByteOverheadMs?: Percentiles;
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  bystanderCpuPer1000By: CpuSeconds;
  /** Differences and ratios to `bare` and `completion` at the same delay and concurrency. */
  ratios: Readonly<Record<string, number>>;
};

/** Returns one summary per delay, concurrency and system, in the order of measurement. */
export const summarizeTurns = (rows: readonly ChatRow[]): ChatSummary[] => {
  const groups = Map.groupBy(rows, (row) => `${row.delayMs} ${row.inFlight} ${row.system}`);
  const medians = [...groups.values()].map(toMedians);
  return medians.map((row) => {
    const find = (system: ChatSystem): ChatSummary | undefined =>
      medians.find((one) => one.system === system && isSameLoad(one, row));
    const bare = find('bare');
    const completion = row.system.startsWith('turn') ? find('completion') : undefined;
    const turn = row.system === 'turn, one tool' ? find('turn') : undefined;
    const ratios = {
      ...(bare && bare !== row ? { 'p50 - bare': row.overheadMs.p50 - bare.overheadMs.p50 } : {}),
      ...(completion
        ? {
            'p50 - completion': row.overheadMs.p50 - completion.overheadMs.p50,
            'CPU of completion': row.cpuPer1000 / completion.cpuPer1000,
          }
        : {}),
      ...(turn ? { [TOOL_CALL_RATIO]: row.overheadMs.p50 - turn.overheadMs.p50 } : {}),
    };
    return { ...row, ratios };
  });
};

/** Name of the ratio with the milliseconds that one tool call adds to a turn. */
const TOOL_CALL_RATIO = 'p50 - turn';

type Load = Pick<ChatSummary, 'delayMs' | 'inFlight'>;

const isSameLoad = (one: Load, other: Load): boolean =>
  one.delayMs === other.delayMs && one.inFlight === other.inFlight;

const toMedians = (rounds: readonly ChatRow[]): ChatSummary => {
  const { system, delayMs, inFlight } = rounds[0]!;
  const firsts = rounds.flatMap(({ firstByteOverheadMs }) => firstByteOverheadMs ?? []);
  return {
    system,
    delayMs,
    inFlight,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    overheadMs: toPercentiles(rounds.map(({ overheadMs }) => overheadMs)),
    ...(firsts.length > 0 ? { firstByteOverheadMs: toPercentiles(firsts) } : {}),
    cpuPer1000: median(rounds.map(({ cpuPer1000 }) => cpuPer1000)),
    cpuPer1000By: medianByName(rounds.map(({ cpuPer1000By }) => cpuPer1000By)),
    bystanderCpuPer1000By: medianByName(rounds.map((row) => row.bystanderCpuPer1000By)),
    ratios: {},
  };
};

const toPercentiles = (rounds: readonly Percentiles[]): Percentiles => ({
  p50: median(rounds.map(({ p50 }) => p50)),
  p95: median(rounds.map(({ p95 }) => p95)),
  p99: median(rounds.map(({ p99 }) => p99)),
});

export const toTurnTable = (rows: readonly ChatSummary[]): Table => {
  const ratioNames = [...new Set(rows.flatMap(({ ratios }) => Object.keys(ratios)))];
  return {
    title: 'turns; ms over the provider, medians; CPU in seconds per 1,000',
    headings: [
      'delay',
      'at once',
      'system',
      '/s',
      'p50',
      'p95',
      'p99',
      'first byte',
      'p95',
      'CPU',
      ...ratioNames,
      'of',
    ],
    rows: rows.map((row) => [
      String(row.delayMs),
      String(row.inFlight),
      row.system,
      row.perSecond.toFixed(0),
      ...(['p50', 'p95', 'p99'] as const).map((name) => row.overheadMs[name].toFixed(2)),
      row.firstByteOverheadMs?.p50.toFixed(2) ?? '',
      row.firstByteOverheadMs?.p95.toFixed(2) ?? '',
      row.cpuPer1000.toFixed(3),
      ...ratioNames.map((name) => row.ratios[name]?.toFixed(2) ?? ''),
      listParts(row.cpuPer1000By),
    ]),
  };
};

/** Maximum p50 of a turn in milliseconds, without the provider's time. */
const OVERHEAD_AIM_MS = 15;
/**
 * Maximum milliseconds that one tool call adds to the p50 of a turn, without the time of provider
 * and tool.
 */
const TOOL_CALL_AIM_MS = 10;
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
  const added = find('turn, one tool')?.ratios[TOOL_CALL_RATIO] ?? Number.NaN;
  return [
    ...aims,
    atMost(`p50 that a round of tools adds, ${loadName}`, 'ms', TOOL_CALL_AIM_MS, added),
  ];
};
