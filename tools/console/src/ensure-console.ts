import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { siteFolder, sourcesFile } from './console-folder.ts';
import { hashSources } from './hash-sources.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BUILD = join(ROOT, 'tools/console/src/build.ts');
/** Maximum duration of a build, far above the ten seconds that it takes on two cores. */
const BUILD_TIMEOUT_MS = 300_000;

/**
 * Builds the console of a clone if its sources have changed since the last build; `onBuild` is
 * called before. Returns the folder of the built files. In a bundle, which has no sources, it does
 * nothing. Throws with the output of the build if it fails.
 */
export const ensureConsole = async (onBuild: () => void = () => {}): Promise<string> => {
  if (existsSync(BUILD) && !(await isCurrent(ROOT))) {
    onBuild();
    // A process of its own, because the bundler's memory is not returned to the system.
    await promisify(execFile)(process.execPath, [BUILD], { timeout: BUILD_TIMEOUT_MS });
  }
  return siteFolder(ROOT);
};

const isCurrent = async (root: string): Promise<boolean> => {
  const built = await readFile(sourcesFile(root), 'utf8').catch(() => ''); // Never built.
  return built === (await hashSources(root));
};
