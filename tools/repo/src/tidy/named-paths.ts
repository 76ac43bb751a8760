import { posix } from 'node:path';
import type { Rule, Tree } from '../tree.ts';

/** Histories may name files that no longer exist. */
const HISTORIES = /^CHANGELOG\.md$/;

/** Matches code spans without whitespace. */
const CODE_SPAN = /`([^`\s]+)`/g;

/** Matches a path without placeholders or patterns. */
const PATH = /^(?:[\w.@-]+\/)*[\w.@-]+\/?$/;

const SOURCE_FILE = /\/[\w.-]+\.(?:ts|mjs|sql|proto)$/;

/**
 * Checks that paths in code spans of Markdown files exist: those that begin with a folder of the
 * repository, and source files, which may be named relative to a folder of the page, to `src/` in
 * it, or to `apps/`.
 */
export const namedPaths: Rule = (tree) => {
  const known = new Set(tree.paths.flatMap((path) => [path, ...foldersOf(path)]));
  const roots = new Set(tree.paths.filter((path) => path.includes('/')).map(firstFolder));
  return tree.paths
    .filter((path) => path.endsWith('.md') && !HISTORIES.test(path))
    .flatMap((page) =>
      linesOf(tree, page).flatMap(({ text, line }) =>
        [...text.matchAll(CODE_SPAN)]
          .map(([, span = '']) => span)
          .filter((span) => PATH.test(span) && !exists(known, page, span))
          .filter((span) => roots.has(firstFolder(span)) || SOURCE_FILE.test(span))
          .map((span) => ({ path: page, line, message: `names ${span}, which does not exist.` })),
      ),
    );
};

const firstFolder = (path: string): string => (path.includes('/') ? path.split('/')[0]! : '');

const foldersOf = (path: string): string[] => {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
};

const linesOf = (tree: Tree, page: string): { text: string; line: number }[] =>
  tree
    .read(page)
    .split('\n')
    .map((text, index) => ({ text, line: index + 1 }));

const exists = (known: ReadonlySet<string>, page: string, span: string): boolean => {
  const path = span.replace(/\/$/, '');
  const bases = ['', 'apps', ...foldersOf(page).flatMap((folder) => [folder, `${folder}/src`])];
  return bases.some((base) => known.has(posix.join(base, path)));
};
