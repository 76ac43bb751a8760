import { readdir, readFile } from 'node:fs/promises';

/**
 * Returns the pids of a process's children; none if there is no /proc. A killed database server's
 * children must be killed too, because they outlive it briefly and could still commit.
 */
export const findChildren = (parent: number): Promise<number[]> =>
  // Fields of `stat`, counted after the brackets: the state, then the parent's pid (proc(5)).
  findProcesses(async (pid) => (await readStat(pid))?.[1] === String(parent));

/**
 * Returns the pids of processes that still run after the system was stopped: those in `known`, and
 * those whose environment or command line contains `home`. Returns none if there is no /proc.
 */
export const findLeftovers = (
  home: string,
  known: Readonly<Record<string, number>>,
): Promise<number[]> => {
  const suspects = new Set(Object.values(known));
  return findProcesses(async (pid) => {
    if (pid === process.pid) return false;
    if (suspects.has(pid) && ((await readStat(pid))?.[0] ?? 'Z') !== 'Z') return true;
    const texts = await Promise.all(['environ', 'cmdline'].map((name) => readProc(pid, name)));
    return texts.some((text) => text?.includes(home));
  });
};

const findProcesses = async (matches: (pid: number) => Promise<boolean>): Promise<number[]> => {
  let entries: string[];
  try {
    entries = await readdir('/proc');
  } catch {
    // Without /proc no process can be found.
    return [];
  }
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => ((await matches(pid)) ? [pid] : [])));
  return found.flat();
};

/**
 * Returns the fields of `stat` after the command's name, which is in brackets and may contain
 * spaces and brackets.
 */
const readStat = async (pid: number): Promise<string[] | undefined> => {
  const stat = await readProc(pid, 'stat');
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const readProc = async (pid: number, name: string): Promise<string | undefined> => {
  try {
    return await readFile(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // The process has ended, or belongs to another user.
    return undefined;
  }
};
