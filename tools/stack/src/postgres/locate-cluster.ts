import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { lockDirectory } from './lock-directory.ts';
import { endPreviousServer } from './end-previous-server.ts';
import { errorCode, pathExists, PostgresError } from './postgres-error.ts';
import { openPrivilegedDirectory } from './privileged-directory.ts';
import { canReach, type ServerAccount } from './server-account.ts';

export const locationFile = (dir: string): string => `${dir}-location`;

/**
 * Returns the folder with the server's state, created if missing. This is `dir`, or a folder below
 * `/var/lib/witan` or the temporary folder if `account` cannot reach `dir` (root runs in a private
 * home). The path of that other folder is recorded in the file `<dir>-location`. Throws
 * PostgresError `state-missing` if the recorded folder does not exist, `unreachable-place` if there
 * is no folder that `account` can reach.
 */
export async function locateCluster(options: {
  dir: string;
  account: ServerAccount | undefined;
  log: (line: string) => void;
}): Promise<string> {
  const dir = resolve(options.dir);
  const recorded = await findLocation(dir);
  if (recorded !== undefined) return recorded;
  await mkdir(dirname(dir), { recursive: true });
  if (options.account === undefined || (await canReach(options.account, dirname(dir)))) {
    return createFolder(dir);
  }
  return useReachableFolder(dir, options.account, options.log);
}

export async function findLocation(dir: string): Promise<string | undefined> {
  let location: string;
  try {
    location = (await readFile(locationFile(dir), 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (await pathExists(location)) return location;
  throw new PostgresError(
    'state-missing',
    `${locationFile(dir)} says that the database is in ${location}, which is gone. Restore it, ` +
      `or delete the file to begin with an empty database.`,
  );
}

async function useReachableFolder(
  dir: string,
  account: ServerAccount,
  log: (line: string) => void,
): Promise<string> {
  const root = await openPrivilegedDirectory(account);
  const home = await realpath(dirname(dir));
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const folder = join(root, name, basename(dir));
  if (await pathExists(folder)) await renameOrphanedState(folder, log);
  await mkdir(dirname(folder), { recursive: true, mode: 0o755 });
  await chmod(dirname(folder), 0o755);
  await createFolder(folder);
  await writeFile(locationFile(dir), `${folder}\n`, { mode: 0o600, flush: true });
  log(`The database lives in ${folder}: uid ${account.uid} cannot reach ${home}.`);
  return folder;
}

/**
 * Renames the data of a home that was deleted together with the keys for its encrypted secrets. The
 * new home starts empty.
 */
async function renameOrphanedState(folder: string, log: (line: string) => void): Promise<void> {
  const lock = await lockDirectory(folder);
  try {
    const dataDir = join(folder, 'data');
    await endPreviousServer({ dataDir, wasAbandoned: lock.wasAbandoned, log });
  } finally {
    await lock.release();
  }
  const renamedTo = `${folder}.${new Date().toISOString().replaceAll(':', '-')}`;
  await rename(folder, renamedTo);
  log(`The database of a deleted home was set aside as ${renamedTo}.`);
}

async function createFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  // The server's account must traverse this folder. Files in it that contain secrets have stricter
  // modes.
  await chmod(folder, 0o711);
  return realpath(folder);
}
