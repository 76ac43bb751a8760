import type { Preset } from '../preset.ts';
import { atLeast, atMost } from '../report/print-report.ts';
import type { Aim, ComparedRow } from '../report/print-report.ts';
import { findRow } from '../report/summarize-rows.ts';
import type { SummaryRow } from '../report/summarize-rows.ts';
import { PACED_STREAM_MS } from './mock-answers.ts';

/** Maximum CPU seconds per 1,000 calls at full load, by system and kind of response. */
const CPU_AIMS = {
  standalone: { plain: 0.25, streamed: 0.4 },
  separate: { plain: 0.45, streamed: 0.7 },
} as const;
/**
 * Maximum milliseconds by which the first byte of a stream may be later than through the bare pipe.
 */
const FIRST_BYTE_AIMS = { standalone: 1.5, separate: 4 } as const;
/** Maximum ratio of a metered system's CPU to the unmetered system's. */
const METERED_CPU_AIM = 1.25;
/** Minimum rate of paced streams relative to the provider without a system in between. */
const RATE_SHARE_AIM = 0.9;
/**
 * Minimum ratio of the provider's rate to the rate that the pace allows. Below it, clients or
 * provider limit the paced rows.
 */
const PACED_RATE_MIN = 0.95;
const PROVIDER_CORES_MAX = 0.8;

const SYSTEMS = ['standalone', 'separate'] as const;
const DIALECTS = ['chat', 'messages'] as const;

/**
 * Compares CPU at full load, time to first byte, cost of metering and rate of paced streams with
 * their aims, and checks that the provider did not limit the paced rows.
 */
export const judgeGateway = (
  rows: readonly SummaryRow[],
  { gateway: { inFlight } }: Pick<Preset, 'gateway'>,
): Aim[] => {
  const find: Find = (system, load, count) =>
    rows.find((row) => row.system === system && row.load === load && row.inFlight === count);
  const busy = inFlight.busy[0]!;
  const paced = inFlight.paced[0]!;
  return DIALECTS.flatMap((dialect) => [
    ...SYSTEMS.flatMap((system) =>
      (['plain', 'streamed'] as const).flatMap((mode) => {
        const load = `${dialect}-${mode}`;
        const row = find(system, load, busy);
        const rowName = `${system}, ${load}, ${busy} at once`;
        return [
          ...(row
            ? [atMost(`CPU, ${rowName}`, 's/1,000', CPU_AIMS[system][mode], row.cpuPer1000)]
            : []),
          ...judgeMetered(row, find(`${system}, metered`, load, busy), rowName),
        ];
      }),
    ),
    ...SYSTEMS.flatMap((system) => judgeFirstByte(find, system, `${dialect}-streamed`)),
    ...judgePaced(find, `${dialect}-paced`, paced),
  ]);
};

type Find = (system: string, load: string, inFlight: number) => SummaryRow | undefined;

const judgeMetered = (
  unmetered: SummaryRow | undefined,
  metered: SummaryRow | undefined,
  rowName: string,
): Aim[] => {
  if (!unmetered || !metered) return [];
  const ratio = metered.cpuPer1000 / unmetered.cpuPer1000;
  return [atMost(`CPU of unmetered when metered, ${rowName}`, '', METERED_CPU_AIM, ratio)];
};

const judgeFirstByte = (find: Find, system: (typeof SYSTEMS)[number], load: string): Aim[] => {
  const row = find(system, load, 1);
  const pipe = find('pipe', load, 1);
  if (!row || !pipe) return [];
  const addedMs = row.firstByteP50! - pipe.firstByteP50!;
  const name = `first byte over the pipe, ${system}, ${load}, 1 at once`;
  return [atMost(name, 'ms', FIRST_BYTE_AIMS[system], addedMs)];
};

const judgePaced = (find: Find, load: string, inFlight: number): Aim[] => {
  const direct = find('direct', load, inFlight);
  if (!direct) return [];
  const allowedRate = (inFlight / PACED_STREAM_MS) * 1_000;
  const rowName = `${load}, ${inFlight} at once`;
  const cores = toCores(direct.bystanderCpuPer1000By['provider'] ?? 0, direct.perSecond);
  return [
    ...SYSTEMS.flatMap((system) => {
      const row = find(system, load, inFlight);
      const name = `share of the direct rate, ${system}, ${rowName}`;
      return row ? atLeast(name, '', RATE_SHARE_AIM, row.perSecond / direct.perSecond) : [];
    }),
    atLeast(
      `direct rate of what the pace allows, ${rowName}`,
      '',
      PACED_RATE_MIN,
      direct.perSecond / allowedRate,
    ),
    atMost(`the provider itself, direct, ${rowName}`, 'cores', PROVIDER_CORES_MAX, cores),
  ];
};

/**
 * Adds ratios to every row: to the bare pipe with the same load; for a metered system also to the
 * unmetered system; for a paced load also to the provider without a system in between. Also adds
 * the number of cores that the provider keeps busy.
 */
export const compareWithPipe = (rows: readonly SummaryRow[]): ComparedRow[] =>
  rows.map((row) => {
    const pipe = findRow(rows, { ...row, system: 'pipe' });
    const find = (name: string): SummaryRow | undefined =>
      rows.find(
        ({ system, load, inFlight }) =>
          system === name && load === row.load && inFlight === row.inFlight,
      );
    const direct = find('direct');
    const [unmeteredName, metered] = row.system.split(', ');
    const unmetered = metered ? find(unmeteredName!) : undefined;
    const ratios: Record<string, number> = {
      '/s of pipe': row.perSecond / pipe.perSecond,
      'CPU of pipe': row.cpuPer1000 / pipe.cpuPer1000,
      'first byte +ms': row.firstByteP50! - pipe.firstByteP50!,
      ...(direct ? { '/s of direct': row.perSecond / direct.perSecond } : {}),
      ...(unmetered ? { 'CPU of unmetered': row.cpuPer1000 / unmetered.cpuPer1000 } : {}),
      'provider cores': toCores(row.bystanderCpuPer1000By['provider'] ?? 0, row.perSecond),
    };
    return { ...row, ratios };
  });

/**
 * Returns the mean number of cores that a process keeps busy, from its CPU seconds per 1,000 calls
 * and the rate.
 */
export const toCores = (cpuPer1000: number, perSecond: number): number =>
  (cpuPer1000 * perSecond) / 1_000;
