import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lockFile, packagesFile, siteFolder, sourcesFile } from './console-folder.ts';
import { hashSources } from './hash-sources.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BUILD = join(ROOT, 'tools/console/src/build.ts');
/** Maximum duration of a build, far above the ten seconds that it takes on two cores. */
const BUILD_TIMEOUT_MS = 300_000;
const POLL_MS = 100;

/**
 * Builds the console of a clone if its sources have changed since the last build; `onBuild` is
 * called before. Returns the folder of the built files. In a bundle, which has no sources, it does
 * nothing. Throws with the output of the build if it fails.
 */
export const ensureConsole = async (onBuild: () => void = () => {}): Promise<string> => {
  if (existsSync(BUILD) && !(await isCurrent(ROOT))) {
    onBuild();
    await buildOnce();
  }
  return siteFolder(ROOT);
};

/** Returns the npm packages in the console that is built, as `name@version`. */
export const readConsolePackages = async (): Promise<string[]> =>
  JSON.parse(await readFile(packagesFile(ROOT), 'utf8')) as string[];

/** Builds, or waits for a process that builds already: workers of a test run need it at once. */
const buildOnce = async (): Promise<void> => {
  const lock = lockFile(ROOT);
  await mkdir(dirname(lock), { recursive: true });
  while (!(await tryLock(lock))) {
    await setTimeout(POLL_MS);
    if (await isCurrent(ROOT)) return;
  }
  try {
    // A process of its own, because the bundler's memory is not returned to the system.
    await promisify(execFile)(process.execPath, [BUILD], { timeout: BUILD_TIMEOUT_MS });
  } finally {
    await rm(lock, { force: true });
  }
};

/** Takes the lock unless another process has it; a lock older than any build is left over. */
const tryLock = async (lock: string): Promise<boolean> => {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > BUILD_TIMEOUT_MS) await rm(lock, { force: true });
    return false;
  }
};

const isCurrent = async (root: string): Promise<boolean> => {
  const built = await readFile(sourcesFile(root), 'utf8').catch(() => ''); // Never built.
  return built === (await hashSources(root));
};
