import type { RunCommand } from '../run-command.ts';
import type { Sbom } from './to-program-sbom.ts';

/**
 * Lists all packages. npm ignores the workspace option here. Omitting development packages would
 * also omit packages that are used for both, such as `pg`.
 */
export const fetchNpmSbom = async (root: string, run: RunCommand): Promise<Sbom> => {
  const argv = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  return JSON.parse(await run('npm', argv, { cwd: root })) as Sbom;
};
