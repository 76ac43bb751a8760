import { appLayers } from './boundaries/app-layers.ts';
import { declaredDependencies } from './boundaries/declared-dependencies.ts';
import { projectKinds } from './boundaries/project-kinds.ts';
import type { Rule } from './tree.ts';

/**
 * Every import of every project against what its package.json declares, its `kind:` tag, and its
 * place inside an app (STYLE.md "Which way dependencies point").
 */
export const boundaries: Rule = (tree) => [
  ...declaredDependencies(tree),
  ...projectKinds(tree),
  ...appLayers(tree),
];
