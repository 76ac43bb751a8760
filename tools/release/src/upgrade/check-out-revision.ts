import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * An earlier revision of this repository with what its lock file names, in a folder of its own.
 * Answers its full id. Throws when the clone does not have it, as a shallow one may not.
 */
export const checkOutRevision = async (options: {
  root: string;
  revision: string;
  folder: string;
  /** The environment of git and npm. */
  env: Readonly<Record<string, string | undefined>>;
}): Promise<string> => {
  const { root, revision, folder, env } = options;
  const git = async (...argv: string[]): Promise<string> =>
    (await run('git', argv, { cwd: root, env })).stdout.trim();
  const id = await git('rev-parse', '--verify', `${revision}^{commit}`);
  await git('clone', '--quiet', '--shared', '--no-checkout', root, folder);
  await git('-C', folder, 'checkout', '--quiet', id);
  // No package needs its script here: the services are JavaScript.
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', install, {
    cwd: join(folder),
    env,
    timeout: INSTALL_TIMEOUT_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return id;
};
