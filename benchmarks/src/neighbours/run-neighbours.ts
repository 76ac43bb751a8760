import { readFileSync, writeFileSync } from 'node:fs';
import { openKeys } from '@witan/e2e/keys';
import { Agent } from 'undici';
import type { Bench } from '../bench.ts';
import { openHttpClients, openProvider, openWitan } from '../gateway/open-systems.ts';
import type { HttpClients } from '../gateway/open-systems.ts';
import { SERIAL_PLACEHOLDER } from '../gateway/traffic/history.ts';
import { atMost, toTable } from '../report/print-report.ts';
import type { Table } from '../report/print-report.ts';
import { ATTACKS, createAttacker, repeatAttack } from './attacks.ts';

/** Length of the neighbour's text, which is too long for the main thread of the llm-gateway. */
const TEXT_LENGTH = 54_000;
/** Limits of the neighbour's calls during one attack; one is in flight. */
const LIMITS = { inFlight: 1, maxMs: 20_000, maxCalls: 200 };
/** Time that an attacker's call may take. */
const CALL_TIMEOUT_MS = 120_000;
/** Aims: the neighbour's p99 in multiples of its quiet p99, and the part of a pod's memory. */
const P99_AIM = 3;
const MEMORY_AIM = 0.8;

type Row = {
  attack: string;
  statuses: Record<string, number>;
  calls: number;
  p50: number;
  p99: number;
  max: number;
  /** The neighbour's p99 in multiples of its p99 without an attack. */
  ratio: number;
  peakMib: Record<string, number>;
};

/**
 * Measures the calls of one workspace while another one does what hostile tests found, and the peak
 * of the resident memory of each process, compared with the limit of its pod.
 */
export const runNeighbours: Bench = async ({ stateDir, resources, log }) => {
  const provider = await openProvider(stateDir, resources);
  const providerUrl = provider.ready.url;
  const options = { mode: 'processes', stateDir, providerUrl } as const;
  const { file, url, headers } = await openWitan(options, resources);
  const clients = await openHttpClients(stateDir, resources);
  const keys = resources.use(
    await openKeys({ ...file, databaseUrls: { 'api-gateway': file.databaseUrl } }),
  );
  const dispatcher = new Agent({ headersTimeout: CALL_TIMEOUT_MS, bodyTimeout: CALL_TIMEOUT_MS });
  resources.defer(() => dispatcher.destroy());
  const attacker = createAttacker(url, (await keys.makeKey()).apiKey, dispatcher);
  const { postgres: _postgres, ...pids } = file.pids;
  const rows: Row[] = [];
  const failures: string[] = [];
  const measure = async (
    attack: string,
    statusesOf: (isEnded: () => boolean) => Promise<Row['statuses']>,
  ): Promise<void> => {
    resetPeaks(pids);
    let isEnded = false;
    const calls = callNeighbour(clients, url, headers).finally(() => (isEnded = true));
    const [outcome, statuses] = await Promise.allSettled([calls, statusesOf(() => isEnded)]);
    for (const result of [outcome, statuses]) {
      if (result.status === 'rejected') failures.push(`${attack}: ${String(result.reason)}`);
    }
    if (outcome.status === 'rejected' || statuses.status === 'rejected') return;
    const { p50, p99, max } = outcome.value.latencyMs;
    const row = { attack, calls: outcome.value.calls, p50, p99, max, ratio: 1 };
    rows.push({ ...row, statuses: statuses.value, peakMib: readPeaks(pids) });
    log(JSON.stringify(rows.at(-1)));
  };
  await callNeighbour(clients, url, headers);
  await measure(QUIET, async () => ({}));
  for (const attack of ATTACKS) {
    await attack.prepare?.(attacker);
    await measure(attack.name, (isEnded) => repeatAttack(attack, attacker, isEnded));
  }
  await measure(QUIET, async () => ({}));
  const quietP99 = Math.max(...rows.filter(({ attack }) => attack === QUIET).map(({ p99 }) => p99));
  for (const row of rows) row.ratio = row.p99 / quietP99;
  const limits = readLimits(Object.keys(pids));
  return {
    config: { limits: LIMITS, textLength: TEXT_LENGTH },
    rows,
    summary: { quietP99, limitsMib: limits },
    tables: [toLatencyTable(rows), toMemoryTable(rows, limits)],
    checks: {},
    aims: [...toLatencyAims(rows), ...toMemoryAims(rows, limits)],
    failures,
  };
};

const QUIET = 'none';

const callNeighbour = async (
  clients: HttpClients,
  url: string,
  headers: Readonly<Record<string, string>>,
) => {
  const question = `Call ${SERIAL_PLACEHOLDER}: what should Fjordbank do? `;
  const content = question + 'Ann Lee asked for a plan. '.repeat(TEXT_LENGTH / 26);
  const body = JSON.stringify({ model: 'gpt-bench', messages: [{ role: 'user', content }] });
  const path = '/v1/chat/completions';
  const load = { limits: LIMITS, url: url + path, headers, body, tail: '}' };
  return (await clients.execute(load)).result;
};

/** Resets the peaks of the processes' resident memory (VmHWM): see proc_pid_clear_refs(5). */
const resetPeaks = (pids: Readonly<Record<string, number>>): void => {
  for (const pid of Object.values(pids)) writeFileSync(`/proc/${pid}/clear_refs`, '5');
};

const readPeaks = (pids: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return [name, Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1_024)];
    }),
  );

const UNIT_MIB: Readonly<Record<string, number>> = { Mi: 1, Gi: 1_024 };

/** Returns the memory limits of the services' pods in MiB. */
const readLimits = (services: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    services.map((service) => {
      const file = new URL(`../../../deploy/k8s/base/services/${service}.yaml`, import.meta.url);
      const limit = /limits: \{ memory: (\d+)(Mi|Gi) \}/.exec(readFileSync(file, 'utf8'))!;
      return [service, Number(limit[1]) * UNIT_MIB[limit[2]!]!];
    }),
  );

const toLatencyAims = (rows: readonly Row[]) =>
  rows
    .filter(({ attack }) => attack !== QUIET)
    .map(({ attack, ratio }) => atMost(`p99 during ${attack}`, 'x quiet', P99_AIM, ratio));

const toMemoryAims = (rows: readonly Row[], limits: Readonly<Record<string, number>>) =>
  Object.entries(limits).map(([service, limit]) => {
    const peak = Math.max(...rows.map(({ peakMib }) => peakMib[service]!));
    return atMost(`peak memory of ${service}`, 'MiB', MEMORY_AIM * limit, peak);
  });

const toLatencyTable = (rows: readonly Row[]): Table =>
  toTable('calls of 54 KB of another workspace, times in ms', rows, [
    ['attack', ({ attack }) => attack],
    ['calls', ({ calls }) => String(calls)],
    ['p50', ({ p50 }) => p50.toFixed(0)],
    ['p99', ({ p99 }) => p99.toFixed(0)],
    ['max', ({ max }) => max.toFixed(0)],
    ['p99 of quiet', ({ ratio }) => ratio.toFixed(2)],
    ['answers to the attacker', ({ statuses }) => JSON.stringify(statuses)],
  ]);

const toMemoryTable = (rows: readonly Row[], limits: Readonly<Record<string, number>>): Table =>
  toTable('peak of the resident memory in MiB', rows, [
    ['attack', ({ attack }) => attack],
    ...Object.entries(limits).map(([service, limit]): readonly [string, (row: Row) => string] => [
      `${service} (of ${limit})`,
      ({ peakMib }) => String(peakMib[service]),
    ]),
  ]);
