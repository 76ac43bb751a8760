import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { lockDirectory } from './lock-directory.ts';
import { endPreviousServer } from './end-previous-server.ts';
import { errorCode } from './error-code.ts';
import { pathExists } from './path-exists.ts';
import { PostgresError } from './postgres-error.ts';
import { openPrivilegedDirectory } from './privileged-directory.ts';
import { canReach, type ServerAccount } from './server-account.ts';

/** Where a server whose folder lies elsewhere is written down: beside the folder it stands for. */
export const locationFile = (dir: string): string => `${dir}-location`;

/**
 * The folder that holds the server's state, created if absent: `dir` itself, or, when `account`
 * cannot reach it (a home under a private directory, run by root), one below `/var/lib/witan`
 * that `<dir>-location` names from then on. Throws `state-missing`, `unreachable-place`.
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
    return prepare(dir);
  }
  return moveElsewhere(dir, options.account, options.log);
}

/** The folder that `<dir>-location` names, if there is one. Throws `state-missing`. */
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

async function moveElsewhere(
  dir: string,
  account: ServerAccount,
  log: (line: string) => void,
): Promise<string> {
  const root = await openPrivilegedDirectory(account);
  const home = await realpath(dirname(dir));
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const place = join(root, name, basename(dir));
  if (await pathExists(place)) await setAside(place, log);
  await mkdir(dirname(place), { recursive: true, mode: 0o755 });
  await chmod(dirname(place), 0o755);
  await prepare(place);
  await writeFile(locationFile(dir), `${place}\n`, { mode: 0o600, flush: true });
  log(`The database lives in ${place}: uid ${account.uid} cannot reach ${home}.`);
  return place;
}

/**
 * A database is here and no home points at it: its home was deleted, with the keys to what is
 * sealed in it. The new home begins empty, and nobody's data is deleted for them.
 */
async function setAside(place: string, log: (line: string) => void): Promise<void> {
  const claim = await lockDirectory(place);
  try {
    const dataDir = join(place, 'data');
    await endPreviousServer({ dataDir, wasAbandoned: claim.wasAbandoned, log });
  } finally {
    await claim.release();
  }
  const aside = `${place}.${new Date().toISOString().replaceAll(':', '-')}`;
  await rename(place, aside);
  log(`The database of a deleted home was set aside as ${aside}.`);
}

async function prepare(place: string): Promise<string> {
  await mkdir(place, { recursive: true });
  // The server's account passes through to its data; the files here have modes of their own.
  await chmod(place, 0o711);
  return realpath(place);
}
