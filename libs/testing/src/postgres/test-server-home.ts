import { chmod, mkdtemp, statfs, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { getLockState } from '@witan/stack/postgres/lock-directory';
import { deleteEmbeddedPostgres } from '@witan/stack/postgres/open-embedded-postgres';

const PREFIX = 'witan-test-postgres-';

// An in-memory file system. On ext4 test runs get slower over time: each database has 300 files,
// and creating a file takes 0.2 ms more, because the inodes of recently deleted files are skipped.
const MEMORY_ROOT = '/dev/shm';
// Required free space. A run's databases take about 0.2 GB; the default size of /dev/shm in a
// container is only 64 MB.
const MIN_FREE_BYTES = 2 * 1024 ** 3;

export const testServerRoots = (): string[] => [...new Set([MEMORY_ROOT, tmpdir()])];

export const isTestServerHome = (name: string): boolean => name.startsWith(PREFIX);

export const toServerDir = (home: string): string => join(home, 'postgres');

/**
 * Creates a directory for a server: in the in-memory file system if `inMemory` is set and it has
 * enough space, otherwise in the system's temporary directory.
 */
export async function createTestServerHome(options: { inMemory: boolean }): Promise<string> {
  const root = options.inMemory && (await hasRoom(MEMORY_ROOT)) ? MEMORY_ROOT : tmpdir();
  const home = await mkdtemp(join(root, PREFIX));
  // If this process runs as root, the server runs under another account, which must be able to
  // enter the directory.
  await chmod(home, 0o711);
  return home;
}

async function hasRoom(root: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(root);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    // The operating system has no /dev/shm.
    return false;
  }
}

// Minimum age at which a directory without a lock is deleted, because it has no lock while its
// server is being created.
const LOCK_GRACE_MS = 10 * 60_000;

/**
 * Stops the servers that killed test runs left behind and deletes their directories. If one cannot
 * be removed, this is only logged.
 */
export async function sweepTestPostgres(log: (line: string) => void): Promise<void> {
  for (const home of await findHomes()) {
    try {
      if (!(await isAbandoned(home))) continue;
      await deleteEmbeddedPostgres({ dir: toServerDir(home), log });
      await rm(home, { recursive: true, force: true });
    } catch (error) {
      log(`A leftover test server in ${home} could not be removed: ${String(error)}`);
    }
  }
}

async function findHomes(): Promise<string[]> {
  const roots = testServerRoots().filter((root) => existsSync(root));
  const found = await Promise.all(
    roots.map(async (root) => {
      const names = await readdir(root);
      return names.filter(isTestServerHome).map((name) => join(root, name));
    }),
  );
  return found.flat();
}

async function isAbandoned(home: string): Promise<boolean> {
  const { uid, mtimeMs } = await stat(home);
  if (uid !== process.getuid?.()) return false;
  const state = await getLockState(toServerDir(home));
  return state === 'unlocked' ? Date.now() - mtimeMs > LOCK_GRACE_MS : state === 'abandoned';
}
