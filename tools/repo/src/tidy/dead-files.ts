import { posix } from 'node:path';
import { readProjects } from '../projects.ts';
import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Rule, type Tree } from '../tree.ts';

/**
 * Checks that every source file is reachable from an entry point: a package's exports or bin, a
 * main.ts, a script of a package.json, a file in the root folder, or a test other than its own unit
 * test.
 */
export const deadFiles: Rule = (tree) => {
  const reached = findReached(tree, entries(tree));
  return tree.paths
    .filter((path) => /(^|\/)src\//.test(path) && isCode(path) && !isTest(path))
    .filter((path) => !reached.has(path) && !path.endsWith('.d.mts'))
    .map((path) => ({
      path,
      message: 'is not reachable from an entry point: delete it or use it.',
    }));
};

const entries = (tree: Tree): string[] => {
  const fromProjects = readProjects(tree).flatMap(({ root, entryPaths, scripts }) => [
    ...entryPaths,
    ...scripts.flatMap((script) => filesNamedIn(tree, script, root)),
  ]);
  const fromFiles = tree.paths.filter(
    (path) =>
      isCode(path) &&
      (isTest(path) || /(^|\/)src\/main\.ts$|(^|\/)bin\/[^/]+$/.test(path) || !path.includes('/')),
  );
  return [...fromProjects, ...fromFiles];
};

const filesNamedIn = (tree: Tree, script: string, root: string): string[] => {
  const paths = new Set(tree.paths);
  return script
    .split(/\s+/)
    .map((argument) => posix.join(root, argument))
    .filter((path) => paths.has(path));
};

const findReached = (tree: Tree, start: readonly string[]): Set<string> => {
  const paths = new Set(tree.paths);
  const reached = new Set<string>();
  const queue = start.filter((path) => paths.has(path));
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path) || !isCode(path)) continue;
    reached.add(path);
    const subject = path.replace(/\.test\.ts$/, '.ts');
    const isSubject = (target: string): boolean => subject !== path && target === subject;
    queue.push(...references(tree, paths, path).filter((target) => !isSubject(target)));
  }
  return reached;
};

/**
 * Returns the files that `path` imports or names in a string, such as a worker, a child program, or
 * the files of a folder.
 */
const references = (tree: Tree, paths: ReadonlySet<string>, path: string): string[] => {
  const { imports, strings } = syntaxOf(tree, path);
  const folder = posix.dirname(path);
  const named = [...imports.map(({ specifier }) => specifier), ...strings.map(({ text }) => text)];
  return named
    .filter((text) => /^(\.\.?|<rootDir>|apps|libs|tools|e2e|benchmarks)\//.test(text))
    .map((text) => posix.join(text.startsWith('.') ? folder : '', text.replace(/^<rootDir>\//, '')))
    .flatMap((target) =>
      paths.has(target)
        ? [target]
        : tree.paths.filter((one) => posix.dirname(one) === target.replace(/\/$/, '')),
    );
};
