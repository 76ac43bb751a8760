import { posix } from 'node:path';
import type { Tree } from './tree.ts';

/** The kind of a project, from its tag `kind:...`. STYLE.md lists which kind may import which. */
export type Kind = 'app' | 'kit' | 'contracts' | 'pure' | 'published' | 'testing' | 'tool' | 'web';

export type Project = {
  root: string;
  name: string;
  kind: Kind | undefined;
  dependencies: ReadonlySet<string>;
  devDependencies: ReadonlySet<string>;
  entryPaths: readonly string[];
  scripts: readonly string[];
};

type Manifest = {
  name?: string;
  nx?: { tags?: string[] };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  exports?: unknown;
  bin?: unknown;
  scripts?: Record<string, string>;
};

const KINDS: readonly string[] = [
  'app',
  'kit',
  'contracts',
  'pure',
  'published',
  'testing',
  'tool',
  'web',
] satisfies Kind[];

export const readProjects = (tree: Tree): Project[] =>
  tree.paths
    .filter((path) => path === 'package.json' || path.endsWith('/package.json'))
    .map((path) => toProject(path, JSON.parse(tree.read(path)) as Manifest));

const toProject = (path: string, manifest: Manifest): Project => {
  const root = posix.dirname(path) === '.' ? '' : posix.dirname(path);
  const kind = manifest.nx?.tags?.find((tag) => tag.startsWith('kind:'))?.slice('kind:'.length);
  return {
    root,
    name: manifest.name ?? root,
    kind: isKind(kind) ? kind : undefined,
    dependencies: new Set(Object.keys(manifest.dependencies ?? {})),
    devDependencies: new Set(Object.keys(manifest.devDependencies ?? {})),
    entryPaths: [...stringsIn(manifest.exports), ...stringsIn(manifest.bin)].map((file) =>
      posix.join(root, file),
    ),
    scripts: Object.values(manifest.scripts ?? {}),
  };
};

const isKind = (text: string | undefined): text is Kind =>
  text !== undefined && KINDS.includes(text);

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};

export const projectOf = (projects: readonly Project[], path: string): Project | undefined =>
  projects
    .filter(({ root }) => root !== '' && path.startsWith(`${root}/`))
    .toSorted((a, b) => b.root.length - a.root.length)[0];
