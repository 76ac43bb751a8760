import { mkdir, readdir, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_LIMIT_MS = 10 * 60_000;
const POLL_MS = 200;

/**
 * Runs `work` under the installation lock of `root`, which excludes other processes of the machine.
 * `work` gets a function that adds a process id as a holder: the lock is not stale while that
 * process runs, so an installer that outlives its parent still holds the lock.
 *
 * The lock is a folder with one empty file per holder. It is acquired by renaming a folder that
 * already contains this process's file, so that an acquired lock is never empty. A stale lock is
 * broken by deleting exactly the files of dead processes, so that no process deletes a lock that
 * another one has just acquired.
 */
export async function withInstallLock(root, work) {
  const parent = join(root, '.nx');
  const lock = join(parent, 'install.lock');
  await acquire(parent, lock);
  try {
    return await work((pid) => writeFile(join(lock, String(pid)), ''));
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function acquire(parent, lock) {
  const ownFolder = join(parent, `install.lock.${process.pid}`);
  await rm(ownFolder, { recursive: true, force: true });
  await mkdir(ownFolder, { recursive: true });
  await writeFile(join(ownFolder, String(process.pid)), '');
  const deadline = Date.now() + WAIT_LIMIT_MS;
  let announced = false;
  while (!(await tryAcquire(ownFolder, lock))) {
    const holders = await breakIfStale(lock);
    if (holders.length === 0) continue;
    if (Date.now() > deadline) {
      await rm(ownFolder, { recursive: true, force: true });
      throw new Error(
        `Process ${holders.join(', ')} has been installing for ` +
          `${WAIT_LIMIT_MS / 60_000} minutes. End it, or delete ${lock} if it is something else.`,
      );
    }
    if (!announced) {
      process.stderr.write(`witan: waiting for the installation by process ${holders[0]}\n`);
      announced = true;
    }
    await sleep(POLL_MS);
  }
}

async function tryAcquire(ownFolder, lock) {
  try {
    await rename(ownFolder, lock);
    return true;
  } catch (error) {
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

async function breakIfStale(lock) {
  const names = await readdir(lock).catch(ignoreMissing([]));
  const living = names.filter((name) => isAlive(Number(name)));
  if (living.length > 0) return living;
  for (const name of names) await unlink(join(lock, name)).catch(ignoreMissing());
  await rmdir(lock).catch((error) => {
    // Another process has deleted the stale lock, or has acquired the lock since.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  });
  return [];
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

const ignoreMissing = (value) => (error) => {
  if (error.code === 'ENOENT') return value;
  throw error;
};
