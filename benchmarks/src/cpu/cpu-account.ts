import { readdirSync, readFileSync } from 'node:fs';

/** CPU time in seconds (user and system) by process name. */
export type CpuSeconds = Readonly<Record<string, number>>;

/**
 * Returns the CPU time that each named process and its descendants have used so far. The time of a
 * running process is added to its nearest named ancestor, the time of an ended process to the
 * parent that waited for it. So no time is counted twice, and the difference of two readings
 * includes short-lived PostgreSQL backends.
 */
export const readCpuSeconds = (roots: Readonly<Record<string, number>>): CpuSeconds =>
  sumTrees(readProcessTable(), roots, readThreadSeconds);

export const subtractCpu = (after: CpuSeconds, before: CpuSeconds): CpuSeconds =>
  Object.fromEntries(
    Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]),
  );

/**
 * Returns the same as {@link readCpuSeconds}, for a given process table. Of a process whose threads
 * all still run, their sum is more precise than the table's ticks; it lacks ended threads.
 */
export const sumTrees = (
  table: ReadonlyMap<number, ProcessStat>,
  roots: Readonly<Record<string, number>>,
  threadSecondsOf: (pid: number) => number,
): CpuSeconds => {
  const trees = Object.entries(groupTrees(table, roots));
  const secondsOf = ({ pid, ownSeconds, endedChildrenSeconds }: ProcessStat): number =>
    Math.max(ownSeconds, threadSecondsOf(pid)) + endedChildrenSeconds;
  return Object.fromEntries(
    trees.map(([name, tree]) => [name, tree.reduce((sum, one) => sum + secondsOf(one), 0)]),
  );
};

const NANOS_PER_SECOND = 1e9;

/**
 * Returns the CPU time of all running threads of a process, V8's and libuv's included, in seconds;
 * with `threadId` that of one. It is counted in nanoseconds, `/proc/<pid>/stat` in ticks of 10 ms.
 */
export const readThreadSeconds = (pid: number, threadId?: number): number => {
  try {
    const threads = threadId === undefined ? readdirSync(`/proc/${pid}/task`) : [threadId];
    return threads.reduce<number>((sum, thread) => {
      const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      return sum + Number.parseInt(text, 10) / NANOS_PER_SECOND;
    }, 0);
  } catch {
    // The process or a thread has ended, or this kernel does not count; the ticks remain.
    return 0;
  }
};

/**
 * Returns each named process with those of its descendants whose nearest named ancestor it is.
 * Throws if a named process has ended.
 */
export const groupTrees = (
  table: ReadonlyMap<number, ProcessStat>,
  roots: Readonly<Record<string, number>>,
): Record<string, ProcessStat[]> => {
  const names = new Map(Object.entries(roots).map(([name, pid]) => [pid, name]));
  const trees = Object.fromEntries(
    [...names.values()].map((name): [string, ProcessStat[]] => [name, []]),
  );
  for (const [pid, name] of names) {
    if (!table.has(pid)) throw new Error(`Process ${pid} (${name}) has ended.`);
  }
  for (const process of table.values()) {
    const name = findOwner(process, table, names);
    if (name) trees[name]!.push(process);
  }
  return trees;
};

const findOwner = (
  process: ProcessStat,
  table: ReadonlyMap<number, ProcessStat>,
  names: ReadonlyMap<number, string>,
): string | undefined => {
  for (
    let current: ProcessStat | undefined = process;
    current;
    current = table.get(current.parentPid)
  ) {
    const name = names.get(current.pid);
    if (name) return name;
  }
  return undefined;
};

export const readProcessTable = (): Map<number, ProcessStat> => {
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
    // The process has ended, and the kernel has added its time to its parent's.
    return undefined;
  }
};

export type ProcessStat = {
  pid: number;
  parentPid: number;
  /** User and system time of all threads of the process, including ended ones. */
  ownSeconds: number;
  /** User and system time of ended children that the process waited for, with their descendants. */
  endedChildrenSeconds: number;
};

/** Ticks per second in /proc (USER_HZ): 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/**
 * Indexes of the fields after the command's name; index 1 is field 4, `ppid`, of proc_pid_stat(5).
 */
const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const CHILD_USER_TICKS = 13;
const CHILD_SYSTEM_TICKS = 14;

/** Parses `/proc/<pid>/stat`. Throws on other text. */
export const parseProcessStat = (text: string): ProcessStat => {
  // The command's name is in brackets and may itself contain spaces and brackets.
  const nameEnd = text.lastIndexOf(')');
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(nameEnd + 2).split(' ');
  const seconds = (...places: number[]): number =>
    places.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_PER_SECOND;
  const stat: ProcessStat = {
    pid,
    parentPid: Number(fields[PARENT]),
    ownSeconds: seconds(USER_TICKS, SYSTEM_TICKS),
    endedChildrenSeconds: seconds(CHILD_USER_TICKS, CHILD_SYSTEM_TICKS),
  };
  if (nameEnd === -1 || !Object.values(stat).every(Number.isFinite)) {
    throw new Error(`This is not the text of a /proc/<pid>/stat: ${text.slice(0, 80)}`);
  }
  return stat;
};
