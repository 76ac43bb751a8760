import { readdirSync, readFileSync } from 'node:fs';
import { parseProcessStat } from './process-stat.ts';
import type { ProcessStat } from './process-stat.ts';

/** CPU time in seconds (user and system) by process name. */
export type CpuSeconds = Readonly<Record<string, number>>;

/**
 * Returns the CPU time that whole process trees have used so far. A process belongs to its nearest
 * named ancestor, and an ended one to the parent that awaits it, so nothing is counted twice and
 * short-lived PostgreSQL backends are included in the difference of two readings.
 */
export const readCpuSeconds = (roots: Readonly<Record<string, number>>): CpuSeconds =>
  sumTrees(readProcessTable(), roots);

export const subtractCpu = (after: CpuSeconds, before: CpuSeconds): CpuSeconds =>
  Object.fromEntries(
    Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]),
  );

/** Returns the sums of {@link readCpuSeconds} for a given process table. */
export const sumTrees = (
  table: ReadonlyMap<number, ProcessStat>,
  roots: Readonly<Record<string, number>>,
): CpuSeconds => {
  const names = new Map(Object.entries(roots).map(([name, pid]) => [pid, name]));
  const sums = Object.fromEntries([...names.values()].map((name) => [name, 0]));
  for (const pid of names.keys()) {
    if (!table.has(pid)) throw new Error(`Process ${pid} (${names.get(pid)}) has ended.`);
  }
  for (const process of table.values()) {
    const name = findOwner(process, table, names);
    if (name) sums[name]! += process.ownSeconds + process.endedChildrenSeconds;
  }
  return sums;
};

const findOwner = (
  process: ProcessStat,
  table: ReadonlyMap<number, ProcessStat>,
  names: ReadonlyMap<number, string>,
): string | undefined => {
  for (let at: ProcessStat | undefined = process; at; at = table.get(at.parentPid)) {
    const name = names.get(at.pid);
    if (name) return name;
  }
  return undefined;
};

const readProcessTable = (): Map<number, ProcessStat> => {
  const table = new Map<number, ProcessStat>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const text = readStat(entry);
    if (text) table.set(Number(entry), parseProcessStat(text));
  }
  return table;
};

const readStat = (pid: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // The process has ended; its parent has its time.
    return undefined;
  }
};
