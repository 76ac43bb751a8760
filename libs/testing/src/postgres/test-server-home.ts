import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'witan-test-postgres-';

// A file system in memory. On ext4 a run slows down as it goes: every database is 300 files, and
// the file system walks around the inodes of files deleted moments ago (0.2 ms for each new file).
const MEMORY = '/dev/shm';
// A run's databases take about 0.2 GB. Containers give /dev/shm 64 MB unless told otherwise.
const MIN_FREE_BYTES = 2 * 1024 ** 3;

/** The folders in which test servers have their homes. */
export const testServerRoots = (): string[] => [...new Set([MEMORY, tmpdir()])];

/** True for the name of a home. */
export const isTestServerHome = (name: string): boolean => name.startsWith(PREFIX);

/** The server's own folder in a home. */
export const toServerDir = (home: string): string => join(home, 'postgres');

/** Makes a fresh home: in memory if it may be and there is room, else in the temporary folder. */
export async function createTestServerHome(options: { inMemory: boolean }): Promise<string> {
  const root = options.inMemory && (await hasRoom(MEMORY)) ? MEMORY : tmpdir();
  const home = await mkdtemp(join(root, PREFIX));
  // The server runs under another account when we are root, and must pass through here.
  await chmod(home, 0o711);
  return home;
}

async function hasRoom(root: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(root);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    // Not every system has one, and the temporary folder is always good enough.
    return false;
  }
}
