import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './postgres-error.ts';

export type PostmasterFile = { pid: number; isReady: boolean };

// Line numbers in postmaster.pid (PostgreSQL, src/include/utils/pidfile.h), counted from 0.
const PID_LINE = 0;
const STATUS_LINE = 7;

const IMPOSSIBLE_PID = 2 ** 31 - 1;

export async function findPostmasterFile(dataDir: string): Promise<PostmasterFile | undefined> {
  const lines = await findLines(dataDir);
  const pid = Math.abs(Number.parseInt(lines?.[PID_LINE] ?? '', 10));
  if (!Number.isSafeInteger(pid) || pid === 0) return undefined;
  return { pid, isReady: lines?.[STATUS_LINE]?.trim() === 'ready' };
}

/**
 * Replaces the pid in a stale lock file by one that cannot exist. Otherwise PostgreSQL assumes that
 * its old server runs if another process or a zombie has this pid. The other lines remain, because
 * PostgreSQL uses them to find children of the old server that use its shared memory.
 */
export async function invalidatePostmasterFile(dataDir: string): Promise<void> {
  const lines = await findLines(dataDir);
  if (lines === undefined) return;
  await writeFile(
    join(dataDir, 'postmaster.pid'),
    [String(IMPOSSIBLE_PID), ...lines.slice(1)].join('\n'),
  );
}

async function findLines(dataDir: string): Promise<string[] | undefined> {
  try {
    return (await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
