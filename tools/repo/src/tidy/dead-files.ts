import { posix } from 'node:path';
import { readProjects } from '../projects.ts';
import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Rule, type Tree } from '../tree.ts';

/**
 * Every source file is reached from something that runs: a package's exports or bin, a main.ts, a
 * script of a package.json, a configuration file, or a test. A file's own unit test does not count:
 * code that only its test uses is dead.
 */
export const deadFiles: Rule = (tree) => {
  const reached = reach(tree, entries(tree));
  return tree.paths
    .filter((path) => /(^|\/)src\//.test(path) && isCode(path) && !isTest(path))
    .filter((path) => !reached.has(path) && !path.endsWith('.d.mts'))
    .map((path) => ({ path, message: 'is reached from no entry: delete it, or use it.' }));
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
  const known = new Set(tree.paths);
  return script
    .split(/\s+/)
    .map((word) => posix.join(root, word))
    .filter((path) => known.has(path));
};

const reach = (tree: Tree, start: readonly string[]): Set<string> => {
  const known = new Set(tree.paths);
  const reached = new Set<string>();
  const open = start.filter((path) => known.has(path));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path) || !isCode(path)) continue;
    reached.add(path);
    const own = path.replace(/\.test\.ts$/, '.ts');
    const isOwn = (target: string): boolean => own !== path && target === own;
    open.push(...references(tree, known, path).filter((target) => !isOwn(target)));
  }
  return reached;
};

/** Files that `path` imports, or names in a string: a worker, a child program, a folder. */
const references = (tree: Tree, known: ReadonlySet<string>, path: string): string[] => {
  const { imports, strings } = syntaxOf(tree, path);
  const folder = posix.dirname(path);
  const named = [...imports.map(({ specifier }) => specifier), ...strings.map(({ text }) => text)];
  return named
    .filter((text) => /^(\.\.?|<rootDir>|apps|libs|tools|e2e|benchmarks)\//.test(text))
    .map((text) => posix.join(text.startsWith('.') ? folder : '', text.replace(/^<rootDir>\//, '')))
    .flatMap((target) =>
      known.has(target)
        ? [target]
        : tree.paths.filter((one) => posix.dirname(one) === target.replace(/\/$/, '')),
    );
};
