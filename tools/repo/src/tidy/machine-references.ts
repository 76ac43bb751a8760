import type { Rule } from '../tree.ts';

/** Assembles paths from parts, so that this file does not violate the rule. */
const path = (...parts: string[]): string => ['', ...parts].join('/');
const host = (...parts: string[]): string => parts.join(String.raw`\.`);

/**
 * Matches absolute paths of a development machine, but not where they are part of a longer path or
 * a URL.
 */
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

const BINARY = /\.(png|jpe?g|gif|ico|woff2?|bin|gz|tgz|zip|pdf)$/;

/**
 * Checks that no text file contains a path of a development machine or the host of a package
 * registry.
 */
export const machineReferences: Rule = (tree) =>
  tree.paths
    .filter((file) => !BINARY.test(file))
    .flatMap((file) =>
      tree
        .read(file)
        .split('\n')
        .map((text, index) => ({
          line: index + 1,
          reference: (MACHINE_PATH.exec(text) ?? REGISTRY_HOST.exec(text))?.[0],
        }))
        .filter(({ reference }) => reference !== undefined)
        .map(({ line, reference }) => ({
          path: file,
          line,
          message: `contains ${reference}, which is specific to one machine or registry.`,
        })),
    );
