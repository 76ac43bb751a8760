import { posix } from 'node:path';
import type { Tree } from './tree.ts';

/** The kinds of project, from the tag `kind:...`; STYLE.md says which may import which. */
export type Kind = 'app' | 'kit' | 'contracts' | 'pure' | 'published' | 'testing' | 'tool';

/** One npm workspace of the repository; paths are from the repository's root. */
export type Project = {
  root: string;
  name: string;
  kind: Kind | undefined;
  dependencies: ReadonlySet<string>;
  devDependencies: ReadonlySet<string>;
  /** Files named by `exports` and `bin`. */
  entryPaths: readonly string[];
  /** The commands of `scripts`. */
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
] satisfies Kind[];

/** Every `package.json` of the tree; the repository's own has the root `''`. */
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
    entryPaths: [...leaves(manifest.exports), ...leaves(manifest.bin)].map((file) =>
      posix.join(root, file),
    ),
    scripts: Object.values(manifest.scripts ?? {}),
  };
};

const isKind = (text: string | undefined): text is Kind =>
  text !== undefined && KINDS.includes(text);

/** The strings in a nest of objects. */
const leaves = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
};

/** The project that a file belongs to: the one with the longest root above it. */
export const projectOf = (projects: readonly Project[], path: string): Project | undefined =>
  projects
    .filter(({ root }) => root !== '' && path.startsWith(`${root}/`))
    .toSorted((a, b) => b.root.length - a.root.length)[0];
