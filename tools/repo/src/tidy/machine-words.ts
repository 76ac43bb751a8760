import type { Rule } from '../tree.ts';

/** Assembled, so that this file does not hold what it looks for. */
const path = (...parts: string[]): string => ['', ...parts].join('/');
const host = (...parts: string[]): string => parts.join(String.raw`\.`);

/** Folders of the machine that a change was made on; after a word they are part of a URL. */
const MACHINE_PATH = new RegExp(
  String.raw`(?<![\w.~*>\]})-])(${path('work', '')}|${path('root', '')}|${path('tmp', 'bash')})`,
);

const REGISTRY_HOST = new RegExp(
  [
    host('registry', '(npmjs|yarnpkg|npmmirror)', '(org|com)'),
    host('npm', 'pkg', 'github', 'com'),
    host('files', 'pythonhosted', 'org'),
    host('(proxy|sum)', 'golang', 'org'),
  ].join('|'),
);

/** Binary files have no lines to look at. */
const BINARY = /\.(png|jpe?g|gif|ico|woff2?|bin|gz|tgz|zip|pdf)$/;

/** Nothing in the repository knows the machine it was written on, or where packages come from. */
export const machineWords: Rule = (tree) =>
  tree.paths
    .filter((file) => !BINARY.test(file))
    .flatMap((file) =>
      tree
        .read(file)
        .split('\n')
        .map((text, index) => ({
          line: index + 1,
          word: (MACHINE_PATH.exec(text) ?? REGISTRY_HOST.exec(text))?.[0],
        }))
        .filter(({ word }) => word !== undefined)
        .map(({ line, word }) => ({
          path: file,
          line,
          message: `names ${word}: that is true on one machine only.`,
        })),
    );
