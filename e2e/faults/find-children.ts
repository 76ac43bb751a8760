import { readdir, readFile } from 'node:fs/promises';

/**
 * Returns the pids of a process's children; none if there is no /proc. A killed database server's
 * children must be killed too, because they outlive it briefly and could still commit.
 */
export const findChildren = async (parent: number): Promise<number[]> => {
  let entries: string[];
  try {
    entries = await readdir('/proc');
  } catch {
    // Without /proc the children are unknown, so only the parent is killed.
    return [];
  }
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => ((await readParent(pid)) === parent ? [pid] : [])),
  );
  return found.flat();
};

/**
 * Returns the parent's pid, the fourth field of `stat`; -1 if the process has ended. Fields are
 * counted after the last bracket, because the command in brackets may contain spaces and brackets
 * (proc(5)).
 */
const readParent = async (pid: number): Promise<number> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // The process has ended since its directory was listed.
    return -1;
  }
};
