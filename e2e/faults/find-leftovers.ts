import { readdir, readFile } from 'node:fs/promises';

/**
 * Returns the pids of processes that still run after the system was stopped: those in `known`, and
 * those whose environment or command line contains `home`. Returns none if there is no /proc.
 */
export const findLeftovers = async (
  home: string,
  known: Readonly<Record<string, number>>,
): Promise<number[]> => {
  let entries: string[];
  try {
    entries = await readdir('/proc');
  } catch {
    // Without /proc nothing can be checked.
    return [];
  }
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const suspects = new Set(Object.values(known));
  const isLeftRunning = async (pid: number): Promise<boolean> =>
    (suspects.has(pid) && (await isRunning(pid))) || (await mentionsHome(pid, home));
  const found = await Promise.all(
    pids.map(async (pid) => (pid !== process.pid && (await isLeftRunning(pid)) ? [pid] : [])),
  );
  return found.flat();
};

/** Returns whether the process exists and is not a zombie. */
const isRunning = async (pid: number): Promise<boolean> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    // The process has ended since its directory was listed.
    return false;
  }
};

const mentionsHome = async (pid: number, home: string): Promise<boolean> => {
  const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8');
  try {
    const [environment, command] = await Promise.all([read('environ'), read('cmdline')]);
    return environment.includes(home) || command.includes(home);
  } catch {
    // The process has ended, or belongs to another user.
    return false;
  }
};
