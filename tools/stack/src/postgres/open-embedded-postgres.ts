import { readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { lockDirectory, type DirectoryLock } from './lock-directory.ts';
import { endPreviousServer } from './end-previous-server.ts';
import { ensureDatabase } from './ensure-database.ts';
import { errorCode } from './error-code.ts';
import { initializeCluster, SUPERUSER } from './initialize-cluster.ts';
import { findLocation, locateCluster, locationFile } from './locate-cluster.ts';
import { pathExists } from './path-exists.ts';
import { findPostgresPackage, preparePostgresBinaries } from './postgres-binaries.ts';
import { findServerAccount } from './server-account.ts';
import { startServer, type ServerExit, type ServerProcess } from './start-server.ts';

export type EmbeddedPostgres = {
  url: string;
  pid: number;
  port: number;
  place: string;
  stop: () => Promise<void>;
  /** Resolves when the server has ended and the folder can be reopened. */
  exited: Promise<ServerExit>;
};

export type EmbeddedPostgresOptions = {
  dir: string;
  /** 0 (default) for the previous port if free, else any. */
  port?: number;
  /** `false` for tests only: commits may be lost if the server is killed. */
  durable: boolean;
  log: (line: string) => void;
};

const DATABASE = 'witan';

/**
 * Starts a PostgreSQL server on the cluster in `dir`, which is created if missing. Recovers from a
 * killed server or owner. The server does not keep this process alive and does not end with it:
 * call `stop`, or the next owner of `dir` stops it as an orphan.
 * Throws `already-running`, `port-taken`, `not-started`, `unsupported-platform`,
 * `binaries-missing`, `unreachable-place`, `state-missing`.
 */
export async function openEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { log } = options;
  const account = findServerAccount();
  const binaries = await preparePostgresBinaries(findPostgresPackage(), { account, log });
  const place = await locateCluster({ dir: options.dir, account, log });
  const claim = await lockDirectory(place);
  let server: ServerProcess | undefined;
  try {
    const { wasAbandoned } = claim;
    await endPreviousServer({ dataDir: join(place, 'data'), wasAbandoned, log });
    const { durable, port = 0 } = options;
    const { dataDir, password } = await initializeCluster({ place, binaries, account, durable });
    const preferredPort = await findPreviousPort(place);
    const start = { place, dataDir, binaries, account, durable, port, preferredPort };
    server = await startServer(start);
    await writeFile(join(place, 'port'), `${server.port}\n`);
    const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${server.port}/${DATABASE}`;
    await ensureDatabase(url);
    return toHandle({ url, place, server, claim });
  } catch (error) {
    await server?.stop();
    await claim.release();
    throw error;
  }
}

export async function deleteEmbeddedPostgres(options: {
  dir: string;
  log: (line: string) => void;
}): Promise<void> {
  const dir = resolve(options.dir);
  const place = (await findLocation(dir)) ?? dir;
  if (!(await pathExists(place))) return;
  const { wasAbandoned } = await lockDirectory(place);
  await endPreviousServer({ dataDir: join(place, 'data'), wasAbandoned, log: options.log });
  await rm(place, { recursive: true, force: true });
  await rm(locationFile(dir), { force: true });
  if (place !== dir) await removeIfEmpty(dirname(place));
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY') throw error;
  }
}

function toHandle(parts: {
  url: string;
  place: string;
  server: ServerProcess;
  claim: DirectoryLock;
}): EmbeddedPostgres {
  const { url, place, server, claim } = parts;
  // The lock is released before `exited` resolves, so that a supervisor can reopen the folder.
  const exited = server.exited.then(async (exit) => {
    await claim.release();
    return exit;
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await exited;
  };
  return { url, place, pid: server.pid, port: server.port, stop, exited };
}

async function findPreviousPort(place: string): Promise<number | undefined> {
  try {
    const port = Number.parseInt(await readFile(join(place, 'port'), 'utf8'), 10);
    return Number.isSafeInteger(port) ? port : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
