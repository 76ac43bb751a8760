import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const PS_TIMEOUT_MS = 5_000;
const PS_OUTPUT_BYTES = 16 * 1024 ** 2;

export const findProcesses = async (args: readonly string[]): Promise<number[]> => {
  const found =
    process.platform === 'linux' ? await findInProc(args) : matchPs(await listByPs(), args);
  return found.filter((pid) => pid !== process.pid);
};

export const matchPs = (listing: string, args: readonly string[]): number[] => {
  // ps joins arguments with spaces, so the match must begin and end at a space.
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
    return '';
  }
};

const listByPs = async (): Promise<string> => {
  const limits = { timeout: PS_TIMEOUT_MS, maxBuffer: PS_OUTPUT_BYTES };
  return (await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command='], limits)).stdout;
};
