import { readdir, readFile } from 'node:fs/promises';

/**
 * Pids of the children of a process; none where the machine has no /proc. A database server is
 * many processes: those that serve connections outlive a killed parent for a moment and would
 * still commit.
 */
export const findChildren = async (parent: number): Promise<number[]> => {
  let entries: string[];
  try {
    entries = await readdir('/proc');
  } catch {
    // Not a Linux machine: the parent alone is killed there.
    return [];
  }
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => ((await readParent(pid)) === parent ? [pid] : [])),
  );
  return found.flat();
};

/** The fourth field of `stat`; the second, in brackets, may hold anything (proc(5)). */
const readParent = async (pid: number): Promise<number> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It ended while we looked.
    return -1;
  }
};
