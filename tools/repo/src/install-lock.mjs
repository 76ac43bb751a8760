import { mkdir, readdir, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long one bootstrap waits for another one's installation before it gives up. */
const WAIT_LIMIT_MS = 10 * 60_000;
const POLL_MS = 200;

/**
 * Runs `work` while no other process on this machine holds the installation lock of `root`, and
 * waits for one that does. `work` gets `guard(pid)`: the lock then also lasts as long as that
 * child lives, so an installer that outlives its killed parent still keeps others out.
 *
 * The lock is a folder holding one empty file per process that must be dead before it is stale.
 * It is taken by renaming a folder that already holds our file, so it is never seen empty, and a
 * stale one is broken by unlinking exactly the dead names: two breakers cannot remove a new lock.
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
  const mine = join(parent, `install.lock.${process.pid}`);
  await rm(mine, { recursive: true, force: true });
  await mkdir(mine, { recursive: true });
  await writeFile(join(mine, String(process.pid)), '');
  const deadline = Date.now() + WAIT_LIMIT_MS;
  let announced = false;
  while (!(await take(mine, lock))) {
    const holders = await breakIfStale(lock);
    if (holders.length === 0) continue;
    if (Date.now() > deadline) {
      await rm(mine, { recursive: true, force: true });
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

/** True when our prepared folder became the lock. */
async function take(mine, lock) {
  try {
    await rename(mine, lock);
    return true;
  } catch (error) {
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The living processes that hold the lock; a lock without any is removed. */
async function breakIfStale(lock) {
  const names = await readdir(lock).catch(ignoreMissing([]));
  const living = names.filter((name) => isAlive(Number(name)));
  if (living.length > 0) return living;
  for (const name of names) await unlink(join(lock, name)).catch(ignoreMissing());
  await rmdir(lock).catch((error) => {
    // Somebody else broke it first, or already holds it again.
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
