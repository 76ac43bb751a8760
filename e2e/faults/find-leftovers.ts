import { readdir, readFile } from 'node:fs/promises';

/**
 * Pids of what a stopped system left behind: processes whose environment or command names `home`,
 * and those of `known` that still run. Empty where the machine has no /proc.
 */
export const findLeftovers = async (
  home: string,
  known: Readonly<Record<string, number>>,
): Promise<number[]> => {
  let entries: string[];
  try {
    entries = await readdir('/proc');
  } catch {
    // Not a Linux machine: nothing to look into.
    return [];
  }
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const suspects = new Set(Object.values(known));
  const isLeft = async (pid: number): Promise<boolean> =>
    (suspects.has(pid) && (await isRunning(pid))) || (await names(pid, home));
  const found = await Promise.all(
    pids.map(async (pid) => (pid !== process.pid && (await isLeft(pid)) ? [pid] : [])),
  );
  return found.flat();
};

/** A zombie has ended, and only waits for its parent to hear of it. */
const isRunning = async (pid: number): Promise<boolean> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    // It ended while we looked.
    return false;
  }
};

const names = async (pid: number, home: string): Promise<boolean> => {
  const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8');
  try {
    const [environment, command] = await Promise.all([read('environ'), read('cmdline')]);
    return environment.includes(home) || command.includes(home);
  } catch {
    // It ended while we looked, or is not ours to look into.
    return false;
  }
};
