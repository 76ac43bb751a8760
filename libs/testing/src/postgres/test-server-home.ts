import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'witan-test-postgres-';

// An in-memory file system. On ext4 a run slows down over time: each database has 300 files, and
// each new file costs 0.2 ms because recently deleted inodes are skipped.
const MEMORY_ROOT = '/dev/shm';
// Required free space. A run's databases take about 0.2 GB; the default size of /dev/shm in a
// container is only 64 MB.
const MIN_FREE_BYTES = 2 * 1024 ** 3;

export const testServerRoots = (): string[] => [...new Set([MEMORY_ROOT, tmpdir()])];

export const isTestServerHome = (name: string): boolean => name.startsWith(PREFIX);

export const toServerDir = (home: string): string => join(home, 'postgres');

/**
 * Creates a directory in the in-memory file system if that is allowed and large enough, otherwise
 * in the temporary directory.
 */
export async function createTestServerHome(options: { inMemory: boolean }): Promise<string> {
  const root = options.inMemory && (await hasRoom(MEMORY_ROOT)) ? MEMORY_ROOT : tmpdir();
  const home = await mkdtemp(join(root, PREFIX));
  // If this process runs as root, the server runs under another account, which must be able to
  // enter this directory.
  await chmod(home, 0o711);
  return home;
}

async function hasRoom(root: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(root);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    // Not every operating system has /dev/shm.
    return false;
  }
}
