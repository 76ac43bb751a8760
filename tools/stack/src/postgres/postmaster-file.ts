import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './error-code.ts';

/** What a server says of itself in its lock file; `isReady` once it accepts connections. */
export type PostmasterFile = { pid: number; isReady: boolean };

// Lines of postmaster.pid (PostgreSQL, src/include/utils/pidfile.h), counted from 0.
const PID_LINE = 0;
const STATUS_LINE = 7;

// No process ever has the greatest number that fits the type.
const NOBODYS_PID = 2 ** 31 - 1;

/** Reads `<dataDir>/postmaster.pid`; undefined when there is none, or no whole first line yet. */
export async function findPostmasterFile(dataDir: string): Promise<PostmasterFile | undefined> {
  const lines = await findLines(dataDir);
  // A negative number is a single-user server's.
  const pid = Math.abs(Number.parseInt(lines?.[PID_LINE] ?? '', 10));
  if (!Number.isSafeInteger(pid) || pid === 0) return undefined;
  return { pid, isReady: lines?.[STATUS_LINE]?.trim() === 'ready' };
}

/**
 * Makes a left-over lock file name a process that cannot exist, for when its number belongs to a
 * stranger or to a zombie and PostgreSQL would believe its old server alive. The rest of the file
 * stays: by it PostgreSQL finds children of the old server that still use the shared memory.
 */
export async function disownPostmasterFile(dataDir: string): Promise<void> {
  const lines = await findLines(dataDir);
  if (lines === undefined) return;
  await writeFile(
    join(dataDir, 'postmaster.pid'),
    [String(NOBODYS_PID), ...lines.slice(1)].join('\n'),
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
