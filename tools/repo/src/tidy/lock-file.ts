import type { Rule } from '../tree.ts';

const DOWNLOAD = /"resolved":\s*"(https?|git\+)/;

/** Checks that the lock file contains no download addresses, so that any registry mirror works. */
export const lockFile: Rule = (tree) =>
  tree.paths
    .filter((path) => path === 'package-lock.json')
    .flatMap((path) =>
      tree
        .read(path)
        .split('\n')
        .flatMap((text, index) => (DOWNLOAD.test(text) ? [index + 1] : []))
        .map((line) => ({
          path,
          line,
          message: 'names a download address: keep omit-lockfile-registry-resolved in .npmrc.',
        })),
    );
