import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { errorCode, pathExists, PostgresError } from './postgres-error.ts';
import { findProcessIdentity } from './process-identity.ts';

/** `wasAbandoned` is true if the previous owner ended without releasing the lock. */
export type DirectoryLock = { wasAbandoned: boolean; release: () => Promise<void> };

type Owner = { pid: number; identity: string };

const LOCK_ATTEMPTS = 5;

/**
 * Makes this process the owner of a folder, recorded in its `owner.json`. The lock of a dead
 * process is taken over. Throws PostgresError `already-running` if the owner runs, or if other
 * processes acquire the lock first.
 */
export async function lockDirectory(folder: string): Promise<DirectoryLock> {
  const file = join(folder, 'owner.json');
  const owner = { pid: process.pid, identity: (await findProcessIdentity(process.pid)) ?? '' };
  let wasAbandoned = false;
  for (let attempt = 1; attempt <= LOCK_ATTEMPTS; attempt += 1) {
    if (await tryCreate(file, JSON.stringify(owner))) {
      return { wasAbandoned, release: () => rm(file, { force: true }) };
    }
    wasAbandoned = await removeAbandonedLock(file, folder);
  }
  throw new PostgresError(
    'already-running',
    `Other processes keep claiming ${folder}. Start one system per WITAN_HOME.`,
  );
}

export async function getLockState(folder: string): Promise<'locked' | 'abandoned' | 'unlocked'> {
  const file = join(folder, 'owner.json');
  const owner = await findOwner(file);
  if (owner !== undefined) return (await isAlive(owner)) ? 'locked' : 'abandoned';
  return (await pathExists(file)) ? 'abandoned' : 'unlocked';
}

/**
 * Creates the file if it does not exist. `link` creates name and content atomically and fails if
 * the name exists.
 */
async function tryCreate(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

async function removeAbandonedLock(file: string, folder: string): Promise<boolean> {
  const owner = await findOwner(file);
  if (owner !== undefined && (await isAlive(owner))) {
    throw new PostgresError(
      'already-running',
      `The database in ${folder} is in use by process ${owner.pid}. Stop that system first, or ` +
        `give this one another WITAN_HOME.`,
    );
  }
  const removed = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(file, removed);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return false;
  }
  await rm(removed, { force: true });
  return true;
}

async function findOwner(file: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Owner;
  } catch (error) {
    // A power cut can leave the file empty; the process that wrote it no longer runs after the
    // power cut.
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isAlive = async (owner: Owner): Promise<boolean> =>
  (await findProcessIdentity(owner.pid)) === owner.identity;
