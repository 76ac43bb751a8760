import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Clones an earlier revision, installs its locked dependencies and returns its full commit id.
 * Throws if a shallow clone does not have the revision.
 */
export const checkOutRevision = async (options: {
  root: string;
  revision: string;
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<string> => {
  const { root, revision, folder, env } = options;
  const git = async (...argv: string[]): Promise<string> =>
    (await run('git', argv, { cwd: root, env })).stdout.trim();
  const id = await git('rev-parse', '--verify', `${revision}^{commit}`);
  await git('clone', '--quiet', '--shared', '--no-checkout', root, folder);
  await git('-C', folder, 'checkout', '--quiet', id);
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', install, {
    cwd: join(folder),
    env,
    timeout: INSTALL_TIMEOUT_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return id;
};
