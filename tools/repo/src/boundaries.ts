import { appFeatures } from './boundaries/app-features.ts';
import { declaredDependencies } from './boundaries/declared-dependencies.ts';
import { importCycles } from './boundaries/import-cycles.ts';
import { projectKinds } from './boundaries/project-kinds.ts';
import type { Rule } from './tree.ts';

/**
 * Checks every import against the project's package.json, its `kind:` tag, the features of an app
 * and for cycles (STYLE.md "Which way dependencies point").
 */
export const boundaries: Rule = (tree) => [
  ...declaredDependencies(tree),
  ...projectKinds(tree),
  ...appFeatures(tree),
  ...importCycles(tree),
];
