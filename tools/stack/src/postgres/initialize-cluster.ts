import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathExists, PostgresError } from './postgres-error.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { SERVER_ENVIRONMENT } from './postgres-settings.ts';
import type { ServerAccount } from './server-account.ts';

export const SUPERUSER = 'postgres';

const INITDB_TIMEOUT_MS = 120_000;
const PARTIAL = 'data.partial-';

// Accepts only password log-ins from this machine. `listen_addresses` also limits connections to
// this machine.
const HOST_BASED_ACCESS = 'host all all 127.0.0.1/32 scram-sha-256\n';

/**
 * Returns the cluster in `<folder>/data`, created if missing, and the superuser's password. initdb
 * runs in a temporary folder that is renamed at the end, so a cluster is always complete. Throws
 * PostgresError `state-missing` if a cluster exists without a password, `not-started` if initdb
 * fails.
 */
export async function initializeCluster(options: {
  folder: string;
  binaries: PostgresBinaries;
  account: ServerAccount | undefined;
  durable: boolean;
}): Promise<{ dataDir: string; password: string }> {
  const { folder, account } = options;
  const dataDir = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  if (await pathExists(join(dataDir, 'PG_VERSION'))) {
    return { dataDir, password: await readPassword(passwordFile) };
  }
  await removePartials(folder);
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flush: true });
  const partial = join(folder, `${PARTIAL}${randomBytes(6).toString('hex')}`);
  await mkdir(partial, { mode: 0o700 });
  if (account !== undefined) {
    await chown(passwordFile, account.uid, account.gid);
    await chown(partial, account.uid, account.gid);
  }
  await runInitdb(partial, passwordFile, options);
  await rename(partial, dataDir);
  return { dataDir, password };
}

async function runInitdb(
  target: string,
  passwordFile: string,
  options: Parameters<typeof initializeCluster>[0],
): Promise<void> {
  const flags = [
    `--pgdata=${target}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Gives the same sort order on every machine and after every upgrade of its C library.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    ...(options.durable ? [] : ['--no-sync', '--set=scram_iterations=1']),
  ];
  try {
    await promisify(execFile)(options.binaries.initdb, flags, {
      cwd: options.folder,
      env: SERVER_ENVIRONMENT,
      timeout: INITDB_TIMEOUT_MS,
      ...options.account,
    });
    await writeFile(join(target, 'pg_hba.conf'), HOST_BASED_ACCESS, { flush: true });
  } catch (cause) {
    await rm(target, { recursive: true, force: true });
    throw initdbFailed(cause, options.folder);
  }
}

function initdbFailed(cause: unknown, folder: string): PostgresError {
  const { stderr } = cause as { stderr?: string };
  const what = stderr?.trim() || String(cause);
  // initdb fails in containers whose uid has no name.
  const advice = /could not look up effective user ID/.test(what)
    ? ' Add that user to /etc/passwd, or set DATABASE_URL to a PostgreSQL server.'
    : '';
  return new PostgresError('not-started', `initdb failed in ${folder}: ${what}.${advice}`, {
    cause,
  });
}

async function readPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new PostgresError(
      'state-missing',
      `The database has lost the file with its password, ${file}. Restore it, or delete the ` +
        `folder around it to begin with an empty database.`,
      { cause },
    );
  }
}

async function removePartials(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(
    names
      .filter((name) => name.startsWith(PARTIAL))
      .map((name) => rm(join(folder, name), { recursive: true, force: true })),
  );
}
