import type { Preset } from '../preset.ts';
import { atLeast, atMost } from '../report/print-report.ts';
import type { Aim } from '../report/print-report.ts';
import type { SummaryRow } from '../report/summarize-rows.ts';
import { toCores } from './compare-systems.ts';
import { sumWithoutPostgres } from './measure-memory.ts';
import type { SystemMemory } from './measure-memory.ts';
import { PACED_STREAM_MS } from './mock-answers.ts';

/** Maximum CPU at full load in multiples of floor-work, by system and kind of response. */
const CPU_AIMS = {
  standalone: { plain: 1.6, streamed: 1.2 },
  separate: { plain: 2.4, streamed: 1.8 },
} as const;
/** Maximum CPU of calls with bodies of 100 KB in multiples of the pipe. */
const LARGE_CPU_AIMS = { standalone: 4, separate: 8 } as const;
/** Maximum CPU seconds of PostgreSQL per 1,000 calls at full load. */
const POSTGRES_CPU_AIM = 0.05;
/** Maximum milliseconds that a single plain call takes longer than through the pipe. */
const ALONE_AIMS = { standalone: 1.5, separate: 2.5 } as const;
/** Maximum milliseconds by which the first byte of a stream may be later than through the pipe. */
const FIRST_BYTE_AIMS = { standalone: 1.5, separate: 4 } as const;
/** Maximum ratio of a metered system's CPU to the unmetered system's. */
const METERED_CPU_AIM = 1.25;
/** Minimum rate of paced streams relative to the provider without a system in between. */
const RATE_SHARE_AIM = 0.9;
/** Minimum share of the direct rate through the pipe. Below it, Witan's share is not judged. */
const PIPE_SHARE_MIN = 0.95;
/**
 * Minimum ratio of the provider's rate to the rate that the pace allows. Below it, clients or
 * provider limit the paced rows.
 */
const PACED_RATE_MIN = 0.95;
const PROVIDER_CORES_MAX = 0.8;
/** Maximum resident memory in MiB of all processes but PostgreSQL's. */
const MEMORY_AIMS = [
  { system: 'standalone', state: 'idle', member: 'idleMib', limit: 250 },
  { system: 'standalone', state: 'after load', member: 'loadedMib', limit: 400 },
  { system: 'separate', state: 'idle', member: 'idleMib', limit: 700 },
] as const;

const SYSTEMS = ['standalone', 'separate'] as const;
type System = (typeof SYSTEMS)[number];
const DIALECTS = ['chat', 'messages'] as const;

/**
 * Compares CPU, latency, cost of metering, rate of paced streams and memory with their aims, and
 * checks that neither provider nor clients limited the paced rows.
 */
export const judgeGateway = (
  rows: readonly SummaryRow[],
  { gateway: { inFlight } }: Pick<Preset, 'gateway'>,
  memory: readonly SystemMemory[],
): Aim[] => {
  const find: Find = (system, load, count) =>
    rows.find((row) => row.system === system && row.load === load && row.inFlight === count);
  const busy = inFlight.busy[0]!;
  return [
    ...DIALECTS.flatMap((dialect) => [
      ...SYSTEMS.flatMap((system) => judgeBusy(find, system, { dialect, busy })),
      ...SYSTEMS.flatMap((system) => judgeAlone(find, system, dialect)),
      ...judgePaced(find, `${dialect}-paced`, inFlight.paced[0]!),
    ]),
    ...MEMORY_AIMS.flatMap(({ system, state, member, limit }) => {
      const found = memory.find((one) => one.system === system);
      const name = `resident memory, ${system}, ${state}`;
      return found ? atMost(name, 'MiB', limit, sumWithoutPostgres(found[member])) : [];
    }),
  ];
};

type Find = (system: string, load: string, inFlight: number) => SummaryRow | undefined;

const judgeBusy = (
  find: Find,
  system: System,
  { dialect, busy }: { dialect: string; busy: number },
): Aim[] => {
  const judgeCpu = (load: string, reference: string, limit: number): Aim[] => {
    const row = find(system, load, busy);
    const other = find(reference, load, busy);
    if (!row || !other) return [];
    const name = `CPU of ${reference}, ${system}, ${load}, ${busy} at once`;
    return [atMost(name, 'times', limit, row.cpuPer1000 / other.cpuPer1000)];
  };
  return [
    ...(['plain', 'streamed'] as const).flatMap((mode) => {
      const load = `${dialect}-${mode}`;
      const row = find(system, load, busy);
      const metered = find(`${system}, metered`, load, busy);
      return [
        ...judgeCpu(load, 'floor-work', CPU_AIMS[system][mode]),
        ...(row ? judgePostgres(row) : []),
        ...(row && metered ? judgeMetered(row, metered) : []),
      ];
    }),
    ...judgeCpu(`${dialect}-plain-100k`, 'pipe', LARGE_CPU_AIMS[system]),
  ];
};

const toRowName = ({ system, load, inFlight }: SummaryRow): string =>
  `${system}, ${load}, ${inFlight} at once`;

const judgePostgres = (row: SummaryRow): Aim[] => {
  const seconds = row.cpuPer1000By['postgres'];
  if (seconds === undefined) return [];
  return [atMost(`CPU of PostgreSQL, ${toRowName(row)}`, 's/1,000', POSTGRES_CPU_AIM, seconds)];
};

const judgeMetered = (unmetered: SummaryRow, metered: SummaryRow): Aim[] => {
  const ratio = metered.cpuPer1000 / unmetered.cpuPer1000;
  const name = `CPU of unmetered when metered, ${toRowName(unmetered)}`;
  return [atMost(name, '', METERED_CPU_AIM, ratio)];
};

const judgeAlone = (find: Find, system: System, dialect: string): Aim[] => {
  const judge = (load: string, figure: 'p50' | 'firstByteP50', limit: number): Aim[] => {
    const row = find(system, load, 1);
    const pipe = find('pipe', load, 1);
    if (!row || !pipe) return [];
    const title = figure === 'p50' ? 'p50' : 'first byte';
    const addedMs = row[figure]! - pipe[figure]!;
    return [atMost(`${title} over the pipe, ${toRowName(row)}`, 'ms', limit, addedMs)];
  };
  return [
    ...judge(`${dialect}-plain`, 'p50', ALONE_AIMS[system]),
    ...judge(`${dialect}-streamed`, 'firstByteP50', FIRST_BYTE_AIMS[system]),
  ];
};

const judgePaced = (find: Find, load: string, inFlight: number): Aim[] => {
  const direct = find('direct', load, inFlight);
  if (!direct) return [];
  const allowedRate = (inFlight / PACED_STREAM_MS) * 1_000;
  const rowName = `${load}, ${inFlight} at once`;
  const judgeShare = (system: string, limit: number): Aim[] => {
    const row = find(system, load, inFlight);
    const name = `share of the direct rate, ${system}, ${rowName}`;
    return row ? [atLeast(name, '', limit, row.perSecond / direct.perSecond)] : [];
  };
  const pipe = judgeShare('pipe', PIPE_SHARE_MIN);
  const isPipeFast = pipe.every(({ met }) => met);
  const cores = toCores(direct.bystanderCpuPer1000By['provider'] ?? 0, direct.perSecond);
  return [
    ...pipe,
    ...(isPipeFast ? SYSTEMS.flatMap((system) => judgeShare(system, RATE_SHARE_AIM)) : []),
    atLeast(
      `direct rate of what the pace allows, ${rowName}`,
      '',
      PACED_RATE_MIN,
      direct.perSecond / allowedRate,
    ),
    atMost(`the provider itself, direct, ${rowName}`, 'cores', PROVIDER_CORES_MAX, cores),
  ];
};
