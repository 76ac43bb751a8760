import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const PS_TIMEOUT_MS = 5_000;
const PS_OUTPUT_BYTES = 16 * 1024 ** 2;

/** Pids of the processes whose arguments hold these, side by side; never our own. */
export const findProcesses = async (args: readonly string[]): Promise<number[]> => {
  const found =
    process.platform === 'linux' ? await findInProc(args) : matchPs(await listByPs(), args);
  return found.filter((pid) => pid !== process.pid);
};

/** The pids in the output of `ps -o pid=,command=` whose commands hold `args`. */
export const matchPs = (listing: string, args: readonly string[]): number[] => {
  // ps joins arguments by blanks: what follows ours must be the next one.
  const wanted = ` ${args.join(' ')} `;
  return listing
    .split('\n')
    .filter((line) => `${line} `.includes(wanted))
    .map((line) => Number.parseInt(line, 10));
};

const findInProc = async (args: readonly string[]): Promise<number[]> => {
  const wanted = `\0${args.join('\0')}\0`;
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => ((await readCommand(name)).includes(wanted) ? [Number(name)] : [])),
  );
  return found.flat();
};

const readCommand = async (pid: string): Promise<string> => {
  try {
    return await readFile(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It ended while we looked, or is not ours to look into.
    return '';
  }
};

const listByPs = async (): Promise<string> => {
  const limits = { timeout: PS_TIMEOUT_MS, maxBuffer: PS_OUTPUT_BYTES };
  return (await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command='], limits)).stdout;
};
