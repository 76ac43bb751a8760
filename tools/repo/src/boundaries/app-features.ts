import { posix } from 'node:path';
import { projectOf, readProjects, type Project } from '../projects.ts';
import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Finding, type Rule, type Tree } from '../tree.ts';
import { findCycles } from './find-cycles.ts';
import { toImportTarget, type ImportTarget } from './import-target.ts';

/** Files directly in `src/`, each with the reason that it is not part of a feature. */
const ROOT_FILES: Readonly<Record<string, string>> = {
  'main.ts': 'starts the process',
  'config.ts': 'reads the environment',
  'metrics.ts': 'declares the metrics',
  'open-storage.ts': 'opens the stores of all features',
  'service.ts': 'joins the features',
  'routes.ts': 'joins the HTTP routes with the features that they serve',
  'index.ts': 'is the entry point of the package',
};

/**
 * Root files that may import only the listed root files of the app. The other root files may import
 * everything.
 */
const ROOT_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['config.ts', 'service.ts'],
};

const MIGRATIONS = 'migrations';

/**
 * Folders of a feature that may do IO. Outside HTTP_FEATURES, everything else in a feature is its
 * core.
 */
const ADAPTERS = new Set(['rpc', 'store', 'clients', 'events']);

/** Features of the api-gateway that serve HTTP and therefore are adapters as a whole. */
const HTTP_FEATURES: Readonly<Record<string, readonly string[]>> = {
  'apps/api-gateway': ['console', 'docs', 'errors', 'http', 'mcp', 'resources', 'server'],
};

const FILES_MAX = 25;

/** Matches Node modules that do IO. node:crypto is allowed, because hashing is pure. */
const IO_MODULE =
  /^node:(child_process|cluster|dgram|dns|fs|http|http2|https|inspector|net|os|process|readline|repl|sqlite|tls|tty|worker_threads)(\/|$)/;

const CORE_EXTERNALS = new Set(['@bufbuild/protobuf']);

type Part =
  | { kind: 'root'; name: string }
  | { kind: 'migrations' }
  | { kind: 'core'; feature: string }
  | { kind: 'adapter'; feature: string; adapter: string };

/**
 * Checks the features of an app (STYLE.md "A folder is a feature"): `src/` has one folder per
 * feature; only rpc/, store/, clients/, events/ and the HTTP features do IO; features import each
 * other without cycles, counting type imports; a folder has at most 25 files without tests.
 */
export const appFeatures: Rule = (tree) => {
  const projects = readProjects(tree);
  return projects
    .filter(({ kind }) => kind === 'app')
    .flatMap((app) => {
      const files = tree.paths.filter((path) => isAppSource(projects, app, path));
      return [
        ...files.flatMap((path) => findMisplaced(app, path)),
        ...findCrowded(files),
        ...files.flatMap((path) => findForbiddenImports(tree, projects, app, path)),
        ...findFeatureCycles(tree, projects, app, files),
      ];
    });
};

const isAppSource = (projects: readonly Project[], app: Project, path: string): boolean =>
  path.startsWith(`${app.root}/src/`) &&
  isCode(path) &&
  !isTest(path) &&
  projectOf(projects, path) === app;

const partOf = (app: Project, path: string): Part => {
  const [first = '', ...rest] = path.slice(`${app.root}/src/`.length).split('/');
  if (rest.length === 0) return { kind: 'root', name: first };
  if (first === MIGRATIONS) return { kind: 'migrations' };
  if (HTTP_FEATURES[app.root]?.includes(first))
    return { kind: 'adapter', feature: first, adapter: 'http' };
  const adapter = rest.slice(0, -1).find((segment) => ADAPTERS.has(segment));
  return adapter ? { kind: 'adapter', feature: first, adapter } : { kind: 'core', feature: first };
};

const findMisplaced = (app: Project, path: string): Finding[] => {
  const part = partOf(app, path);
  if (part.kind !== 'root' || part.name in ROOT_FILES) return [];
  const allowed = Object.keys(ROOT_FILES).join(', ');
  return [{ path, message: `is in src/, which contains only ${allowed}: put it into a feature.` }];
};

const findCrowded = (files: readonly string[]): Finding[] => {
  const counts = Map.groupBy(files, (path) => posix.dirname(path));
  return [...counts]
    .filter(([folder, inFolder]) => inFolder.length > FILES_MAX && !folder.endsWith(MIGRATIONS))
    .map(([folder, { length }]) => ({
      path: folder,
      message: `has ${length} files, more than ${FILES_MAX}: give a part of them a folder.`,
    }));
};

const findForbiddenImports = (
  tree: Tree,
  projects: readonly Project[],
  app: Project,
  path: string,
): Finding[] =>
  syntaxOf(tree, path).imports.flatMap(({ specifier, line, names }) => {
    const target = toImportTarget(projects, path, specifier);
    const part = partOf(app, path);
    const reason =
      target.kind === 'file'
        ? reasonWithinApp(part, partOf(app, target.path))
        : part.kind === 'core'
          ? reasonInCore(target, names)
          : undefined;
    return reason ? [{ path, line, message: `imports ${specifier}: ${reason}.` }] : [];
  });

const reasonWithinApp = (from: Part, to: Part): string | undefined => {
  switch (from.kind) {
    case 'root': {
      const allowed = ROOT_IMPORTS[from.name];
      const isAllowed = !allowed || (to.kind === 'root' && allowed.includes(to.name));
      return isAllowed ? undefined : `${from.name} may import ${allowed.join(', ')}`;
    }
    case 'migrations':
      return to.kind === 'migrations' ? undefined : 'a migration imports no code of the service';
    case 'core':
      return to.kind === 'core'
        ? undefined
        : 'the core of a feature imports no adapter; declare a port';
    case 'adapter':
      return to.kind === 'core' || (to.kind === 'adapter' && to.adapter === from.adapter)
        ? undefined
        : `${from.adapter}/ may import cores and ${from.adapter}/; service.ts joins the rest`;
  }
};

const reasonInCore = (
  target: Exclude<ImportTarget, { kind: 'file' }>,
  names: readonly string[],
): string | undefined => {
  if (target.kind === 'node')
    return IO_MODULE.test(target.name) ? 'the core of a feature does no IO' : undefined;
  if (target.project?.kind === 'contracts') {
    const isService = target.subpath !== '' || names.some((name) => name.endsWith('Service'));
    return isService ? 'the core uses messages of contracts, never its services' : undefined;
  }
  if (target.project?.kind === 'pure' || target.project?.kind === 'published') return undefined;
  return CORE_EXTERNALS.has(target.name)
    ? undefined
    : 'the core imports cores, pure libraries and messages only; declare a port';
};

/**
 * Returns the feature of a file, or undefined for root files and migrations. Resources of the
 * api-gateway are features of their own.
 */
const featureOf = (app: Project, path: string): string | undefined => {
  const part = partOf(app, path);
  if (part.kind !== 'core' && part.kind !== 'adapter') return undefined;
  const [, second = '', ...rest] = path.slice(`${app.root}/src/`.length).split('/');
  return part.feature === 'resources' && rest.length > 0 ? `resources/${second}` : part.feature;
};

const findFeatureCycles = (
  tree: Tree,
  projects: readonly Project[],
  app: Project,
  files: readonly string[],
): Finding[] => {
  const graph = new Map<string, Set<string>>();
  for (const path of files) {
    const feature = featureOf(app, path);
    if (feature === undefined) continue;
    const imported = graph.get(feature) ?? new Set();
    graph.set(feature, imported);
    for (const { specifier } of syntaxOf(tree, path).imports) {
      const target = toImportTarget(projects, path, specifier);
      const other = target.kind === 'file' ? featureOf(app, target.path) : undefined;
      if (other !== undefined && other !== feature) imported.add(other);
    }
  }
  return findCycles(graph).map((cycle) => ({
    path: `${app.root}/src/${cycle[0] ?? ''}`,
    message: `imports itself: ${[...cycle, cycle[0]].join(' -> ')}. Types count, too.`,
  }));
};
