import { readProjects } from '../projects.ts';
import { syntaxOf } from '../syntax.ts';
import { isCode, type Rule } from '../tree.ts';
import { findCycles } from './find-cycles.ts';
import { toImportTarget } from './import-target.ts';

/** Checks that no file imports itself through others. Imports of types count. */
export const importCycles: Rule = (tree) => {
  const projects = readProjects(tree);
  const files = tree.paths.filter((path) => isCode(path) && !path.includes('/gen/'));
  const graph = new Map(
    files.map((path) => {
      const targets = syntaxOf(tree, path).imports.flatMap(({ specifier }) => {
        const target = toImportTarget(projects, path, specifier);
        return target.kind === 'file' ? [target.path] : [];
      });
      return [path, new Set(targets)];
    }),
  );
  return findCycles(graph).map((cycle) => ({
    path: cycle[0] ?? '',
    message: `imports itself: ${[...cycle, cycle[0]].join(' -> ')}. Types count, too.`,
  }));
};
