import { appLayers } from './boundaries/app-layers.ts';
import { declaredDependencies } from './boundaries/declared-dependencies.ts';
import { projectKinds } from './boundaries/project-kinds.ts';
import type { Rule } from './tree.ts';

/**
 * Checks every import against the project's package.json, its `kind:` tag, and the layers of an app
 * (STYLE.md "Which way dependencies point").
 */
export const boundaries: Rule = (tree) => [
  ...declaredDependencies(tree),
  ...projectKinds(tree),
  ...appLayers(tree),
];
