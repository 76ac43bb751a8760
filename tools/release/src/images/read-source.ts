import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunCommand } from '../run-command.ts';
import type { ImageSource } from './to-labels.ts';

/**
 * Returns the version of package.json and the commit of the working tree. `source` is the given
 * URL, or that of the remote `origin` if it is an https URL, without user and password, because
 * labels and provenance are published. Rejects if the URL is invalid.
 */
export const readSource = async (
  root: string,
  run: RunCommand,
  source?: string,
): Promise<ImageSource> => {
  const git = async (...argv: string[]): Promise<string> =>
    (await run('git', argv, { cwd: root })).trim();
  const manifest = await readFile(join(root, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const commit = await git('rev-parse', 'HEAD');
  const isDirty = (await git('status', '--porcelain')) !== '';
  const remotes = await git('remote', '-v');
  const [, origin] = /^origin\s+(https:\/\/\S+)/m.exec(remotes) ?? [];
  return {
    version,
    revision: isDirty ? `${commit}-dirty` : commit,
    created: new Date(await git('show', '-s', '--format=%cI', 'HEAD')),
    source: withoutCredentials(source ?? origin),
  };
};

const withoutCredentials = (source: string | undefined): string | undefined => {
  if (source === undefined) return undefined;
  if (!/^https?:\/\//.test(source) || !URL.canParse(source)) {
    throw new Error('The source (--source, or the remote `origin`) must be an http or https URL.');
  }
  const url = new URL(source);
  url.username = '';
  url.password = '';
  return url.href;
};
