import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './error-code.ts';

/** The operating system account of the server process, as `spawn` and `chown` take it. */
export type ServerAccount = { uid: number; gid: number };

// "nobody" wherever /etc/passwd is of this decade, so that nobody has to be added.
const UNPRIVILEGED: ServerAccount = { uid: 65534, gid: 65534 };

const SEARCH = 0o1;
const READ = 0o4;

/**
 * The account to drop to: PostgreSQL refuses to run as root, so root drops to uid 65534. Any other
 * user runs the server as itself: undefined.
 */
export const findServerAccount = (): ServerAccount | undefined =>
  process.getuid?.() === 0 ? UNPRIVILEGED : undefined;

/**
 * True when `account` may search every directory on the way to `path` and read what is there (a
 * directory must be searchable too). Judged by owner, group and mode; a path that does not exist
 * yet is judged by its nearest existing ancestor.
 */
export async function canReach(account: ServerAccount, path: string): Promise<boolean> {
  const target = await realpathOfExisting(path);
  if (!(await isGranted(account, target, READ))) return false;
  for (let place = target; place !== dirname(place); place = dirname(place)) {
    if (!(await isGranted(account, dirname(place), SEARCH))) return false;
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
