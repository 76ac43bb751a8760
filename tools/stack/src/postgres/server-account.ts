import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './postgres-error.ts';

export type ServerAccount = { uid: number; gid: number };

const UNPRIVILEGED: ServerAccount = { uid: 65534, gid: 65534 };

const SEARCH = 0o1;
const READ = 0o4;

/**
 * Returns an unprivileged account if this process runs as root, because PostgreSQL refuses to run
 * as root. Otherwise returns undefined.
 */
export const findServerAccount = (): ServerAccount | undefined =>
  process.getuid?.() === 0 ? UNPRIVILEGED : undefined;

/**
 * Returns true if `account` can traverse all parent folders, and can read `path` or, if it is a
 * folder, traverse it; judged by owner, group and mode. For a missing path it checks the nearest
 * existing ancestor.
 */
export async function canReach(account: ServerAccount, path: string): Promise<boolean> {
  const target = await realpathOfExisting(path);
  if (!(await isGranted(account, target, READ))) return false;
  for (let folder = target; folder !== dirname(folder); folder = dirname(folder)) {
    if (!(await isGranted(account, dirname(folder), SEARCH))) return false;
  }
  return true;
}

async function isGranted(account: ServerAccount, path: string, right: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(path);
  const isDirectory = (mode & 0o170000) === 0o040000;
  const wanted = isDirectory ? SEARCH : right;
  if (uid === account.uid) return ((mode >> 6) & wanted) === wanted;
  if (gid === account.gid) return ((mode >> 3) & wanted) === wanted;
  return (mode & wanted) === wanted;
}

async function realpathOfExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || path === dirname(path)) throw error;
    return realpathOfExisting(dirname(path));
  }
}
