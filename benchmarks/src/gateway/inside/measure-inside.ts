import type { BenchContext } from '../../bench.ts';
import { readCpuSeconds, readThreadSeconds } from '../../cpu/cpu-account.ts';
import { monotonicMs } from '../../load/latency-summary.ts';
import type { Target } from '../../measure-row.ts';
import { attributeSamples } from '../../profile/attribute-samples.ts';
import type { CpuProfile } from '../../profile/attribute-samples.ts';
import { toTable } from '../../report/print-report.ts';
import type { Table } from '../../report/print-report.ts';
import { createGatewayTarget } from '../create-target.ts';
import { BUSY, GATEWAY_LOADS, MAIN_LOADS } from '../gateway-loads.ts';
import type { GatewaySystem, HttpClients, Provider } from '../open-systems.ts';
import type { Counts } from './inspect-process.ts';

/** What one process of Witan does for a call of a load, with `BUSY` of them in flight. */
export type Inside = {
  load: string;
  /** CPU microseconds by stage, the longest first: a folder of ours with what it calls. */
  micros: Readonly<Record<string, number>>;
  counts: Counts;
};

const MICROS_PER_SECOND = 1e6;
const OTHER_THREADS = '(other threads: garbage collector, compiler, signatures)';

/**
 * Profiles the process, then counts its objects and calls. The profiler knows the main thread alone
 * and also counts the time of processes that take its core. So its shares are used, of the main
 * thread's CPU; the other threads and PostgreSQL are measured.
 */
export const measureInside = async (
  system: GatewaySystem,
  shared: { provider: Provider; clients: HttpClients },
  { preset: { gateway }, log }: Pick<BenchContext, 'preset' | 'log'>,
): Promise<Inside[]> => {
  const insides: Inside[] = [];
  for (const load of GATEWAY_LOADS.filter(({ name }) => MAIN_LOADS.includes(name))) {
    log(`looking inside ${system.name}, ${load.name}`);
    const target = createGatewayTarget({ system, load, ...shared, ids: [] });
    const { profileMs: maxMs, countedCalls: maxCalls } = gateway;
    const limits = { inFlight: BUSY, maxMs, maxCalls: gateway.row.callsMax };
    const micros = await measureStages(system, target, limits);
    await system.inspect!('start-counts');
    const { calls } = await target.run({ ...limits, maxCalls });
    const counted = (await system.inspect!('stop-counts')) as Counts;
    const counts = Object.fromEntries(Object.entries(counted).map(([n, sum]) => [n, sum / calls]));
    insides.push({ load: load.name, micros, counts });
  }
  return insides;
};

const measureStages = async (
  { inspect, processes }: GatewaySystem,
  target: Target,
  limits: Parameters<Target['run']>[0],
): Promise<Record<string, number>> => {
  const { witan, postgres } = processes as { witan: number; postgres: number };
  const read = () => {
    const { witan: threads, postgres: database } = readCpuSeconds({ witan, postgres });
    return { main: readThreadSeconds(witan, witan), threads: threads!, database: database! };
  };
  await inspect!('start-profile');
  const from = monotonicMs() * 1_000;
  const before = read();
  const { calls } = await target.run(limits);
  const after = read();
  const window = { from, to: monotonicMs() * 1_000 };
  const { stages, busyMicros } = attributeSamples(
    (await inspect!('stop-profile')) as CpuProfile,
    window,
  );
  const perCall = (name: keyof typeof after): number =>
    ((after[name] - before[name]) / calls) * MICROS_PER_SECOND;
  const main = perCall('main');
  return Object.fromEntries([
    ...[...stages]
      .map(([stage, micros]): [string, number] => [stage, (micros / busyMicros) * main])
      .toSorted(([, a], [, b]) => b - a),
    [OTHER_THREADS, perCall('threads') - main],
    ['PostgreSQL', perCall('database')],
  ]);
};

export const toStageTable = (insides: readonly Inside[]): Table =>
  toJoinedTable('stages of a call in one process, CPU in µs', insides, ({ micros }) => micros);

export const toCountTable = (insides: readonly Inside[]): Table =>
  toJoinedTable('objects and calls in one process, for each call', insides, ({ counts }) => counts);

const toJoinedTable = (
  title: string,
  insides: readonly Inside[],
  numbersOf: (inside: Inside) => Readonly<Record<string, number>>,
): Table => {
  const names = new Set(insides.flatMap((inside) => Object.keys(numbersOf(inside))));
  return toTable(
    title,
    [...names],
    [
      ['', (name) => name],
      ...insides.map(
        (inside) => [inside.load, (name: string) => numbersOf(inside)[name]?.toFixed(1)] as const,
      ),
    ],
  );
};
