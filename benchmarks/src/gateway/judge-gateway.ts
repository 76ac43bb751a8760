import { atMost } from '../report/print-report.ts';
import type { Aim, ComparedRow } from '../report/print-report.ts';
import { BUSY, COLD_LOAD } from './gateway-loads.ts';
import { sumMib } from './measure-memory.ts';
import type { SystemMemory } from './measure-memory.ts';
import type { WitanName } from './open-systems.ts';

/** Maxima of a figure by system: a ratio of the row, or PostgreSQL's part of its CPU. */
type GatewayAim = {
  figure: string;
  load: string;
  inFlight?: number;
  unit?: string;
  limits: Partial<Record<WitanName, number>>;
};

const POSTGRES = 'CPU of PostgreSQL';

const AIMS: readonly GatewayAim[] = [
  { figure: 'CPU of floor-work', load: 'chat-plain', limits: { standalone: 2.3, separate: 3.2 } },
  {
    figure: 'CPU of floor-work',
    load: 'chat-streamed',
    limits: { standalone: 1.6, separate: 2.1 },
  },
  { figure: 'CPU of floor-work', load: COLD_LOAD, limits: { standalone: 4.5 } },
  { figure: 'CPU of floor-work', load: 'personal-plain', limits: { standalone: 3.2 } },
  { figure: 'CPU of floor-work', load: 'personal-streamed', limits: { standalone: 2.2 } },
  { figure: 'CPU of pipe', load: 'chat-plain-100k', limits: { standalone: 6 } },
  { figure: 'CPU of Portkey', load: 'chat-plain', limits: { standalone: 0.35, separate: 0.5 } },
  { figure: 'CPU of Portkey', load: 'chat-streamed', limits: { standalone: 0.45, separate: 0.6 } },
  {
    figure: POSTGRES,
    load: 'chat-plain',
    unit: 's/1,000',
    limits: { standalone: 0.06, separate: 0.06 },
  },
  {
    figure: POSTGRES,
    load: 'chat-streamed',
    unit: 's/1,000',
    limits: { standalone: 0.06, separate: 0.06 },
  },
  {
    figure: 'p50 +ms',
    load: 'chat-plain',
    inFlight: 1,
    unit: 'ms',
    limits: { standalone: 1.3, separate: 2 },
  },
  { figure: 'p99 of p50', load: 'chat-plain', limits: { standalone: 2.5, separate: 2.5 } },
];
/** Maxima of the resident memory in MiB of a system's processes, PostgreSQL's included. */
const MEMORY_AIMS = [
  { system: 'standalone', state: 'idle', member: 'idleMib', limit: 250 },
  { system: 'standalone', state: 'under load', member: 'loadedMib', limit: 450 },
] as const;

/** Compares the measured rows and the memory with their aims; rows not measured are left out. */
export const judgeGateway = (
  rows: readonly ComparedRow[],
  memory: readonly SystemMemory[],
): Aim[] => [
  ...AIMS.flatMap(({ figure, load, inFlight = BUSY, unit = 'times', limits }) =>
    Object.entries(limits).flatMap(([system, limit]) => {
      const row = rows.find(
        (one) => one.system === system && one.load === load && one.inFlight === inFlight,
      );
      const measured = figure === POSTGRES ? row?.cpuPer1000By['postgres'] : row?.ratios[figure];
      const name = `${figure}, ${system}, ${load}, ${inFlight} at once`;
      return measured === undefined ? [] : [atMost(name, unit, limit, measured)];
    }),
  ),
  ...MEMORY_AIMS.flatMap(({ system, state, member, limit }) => {
    const found = memory.find((one) => one.system === system);
    const name = `resident memory, ${system}, ${state}`;
    return found ? atMost(name, 'MiB', limit, sumMib(found[member])) : [];
  }),
];
