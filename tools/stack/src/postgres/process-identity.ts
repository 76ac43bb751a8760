import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from './postgres-error.ts';

const PS_TIMEOUT_MS = 5_000;
// Indexes of fields of /proc/<pid>/stat after the process name; the state is field 3 in proc(5).
const STATE = 0;
const START_TIME = 19;

/**
 * Returns a text that distinguishes the process `pid` from earlier and later processes with the
 * same pid. Returns undefined if the process does not run or is a zombie.
 */
export async function findProcessIdentity(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return findIdentityByPs(pid);
  const text = await readProc(pid, 'stat');
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[STATE];
  return state === 'Z' || state === 'X' ? undefined : fields[START_TIME];
}

/** Returns true if `pid` is the postmaster that serves `dataDir`, not one of its children. */
export async function isPostmasterOf(dataDir: string, pid: number): Promise<boolean> {
  if ((await findProcessIdentity(pid)) === undefined) return false;
  if (process.platform !== 'linux') {
    return (await ps(pid, 'command='))?.includes(dataDir) ?? false;
  }
  const program = (await readProc(pid, 'cmdline'))?.split('\0')[0] ?? '';
  if (basename(program) !== 'postgres') return false;
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === dataDir;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

async function findIdentityByPs(pid: number): Promise<string | undefined> {
  const line = await ps(pid, 'stat=,lstart=');
  return line === undefined || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
}

async function ps(pid: number, format: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', format, '-p', String(pid)], {
      timeout: PS_TIMEOUT_MS,
    });
    return stdout.trim() || undefined;
  } catch (error) {
    if (errorCode(error) === 1) return undefined;
    throw error;
  }
}

async function readProc(pid: number, name: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const isGone = (error: unknown): boolean =>
  errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH';
