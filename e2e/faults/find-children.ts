import { readdir, readFile } from 'node:fs/promises';

/**
 * Returns the pids of a process's children; none if there is no /proc. The connection processes of
 * a killed database server outlive it briefly and could still commit.
 */
export const findChildren = async (parent: number): Promise<number[]> => {
  let entries: string[];
  try {
    entries = await readdir('/proc');
  } catch {
    // Without /proc only the parent is killed.
    return [];
  }
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => ((await readParent(pid)) === parent ? [pid] : [])),
  );
  return found.flat();
};

/**
 * Returns the parent pid, the fourth field of `stat`; the second may contain anything in its
 * brackets (proc(5)).
 */
const readParent = async (pid: number): Promise<number> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // The process ended meanwhile.
    return -1;
  }
};
