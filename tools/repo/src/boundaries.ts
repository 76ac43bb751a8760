import { appFeatures } from './boundaries/app-features.ts';
import { declaredDependencies } from './boundaries/declared-dependencies.ts';
import { importCycles } from './boundaries/import-cycles.ts';
import { projectKinds } from './boundaries/project-kinds.ts';
import type { Rule } from './tree.ts';

/**
 * Checks that every import is declared in package.json and permitted by the `kind:` tags and the
 * features of an app, and that there are no import cycles (STYLE.md "Which way dependencies
 * point").
 */
export const boundaries: Rule = (tree) => [
  ...declaredDependencies(tree),
  ...projectKinds(tree),
  ...appFeatures(tree),
  ...importCycles(tree),
];
