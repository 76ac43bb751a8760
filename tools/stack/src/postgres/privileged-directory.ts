import { chmod, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canReach, type ServerAccount } from './server-account.ts';
import { errorCode, PostgresError } from './postgres-error.ts';

const SYSTEM_DIRECTORY = '/var/lib/witan';
const GROUP_OR_WORLD_WRITABLE = 0o022;

/**
 * Returns a folder that root owns and `account` can traverse: `/var/lib/witan`, or `witan` in the
 * temporary folder if `/var/lib/witan` cannot be used. Throws PostgresError `unreachable-place` if
 * neither can be used.
 */
export async function openPrivilegedDirectory(account: ServerAccount): Promise<string> {
  const candidates = [SYSTEM_DIRECTORY, join(tmpdir(), 'witan')];
  for (const folder of candidates) {
    if (await canPrepare(folder, account)) return folder;
  }
  throw new PostgresError(
    'unreachable-place',
    `PostgreSQL must not run as root, and uid ${account.uid} can reach neither this directory ` +
      `nor ${candidates.join(' nor ')}. Run as an ordinary user, or set DATABASE_URL.`,
  );
}

async function canPrepare(folder: string, account: ServerAccount): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true });
    const { uid, mode } = await lstat(folder);
    // Any user can create names in a temporary folder, so a folder or link of another user must not
    // be used: its binaries would be run.
    const isOwnedByRoot = uid === 0 && (mode & 0o170000) === 0o040000;
    if (!isOwnedByRoot || (mode & GROUP_OR_WORLD_WRITABLE) !== 0) return false;
    await chmod(folder, 0o755);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'EEXIST')
      return false;
    throw error;
  }
  return canReach(account, folder);
}
