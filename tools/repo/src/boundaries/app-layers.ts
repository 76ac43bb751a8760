import { projectOf, readProjects, type Project } from '../projects.ts';
import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Finding, type Rule, type Tree } from '../tree.ts';
import { toImportTarget, type ImportTarget } from './import-target.ts';

const ROOT_FILES: Readonly<Record<string, readonly string[] | 'everything'>> = {
  'main.ts': ['config.ts', 'service.ts'],
  // May import everything, because it refers to settings and defaults that the layers declare. No
  // layer imports it.
  'config.ts': 'everything',
  'metrics.ts': ['domain'],
  'service.ts': 'everything',
  'index.ts': 'everything',
};

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  handlers: ['domain'],
  storage: ['domain'],
  clients: ['domain'],
  events: ['domain'],
};

const EXTRA_FOLDERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'apps/api-gateway': { routes: ['domain', 'errors'], errors: ['domain'] },
  'apps/llm-gateway': { providers: ['domain'] },
};

/** Matches Node modules that do IO. node:crypto is allowed, because hashing is pure. */
const IO_MODULE =
  /^node:(child_process|cluster|dgram|dns|fs|http|http2|https|inspector|net|os|process|readline|repl|sqlite|tls|tty|worker_threads)(\/|$)/;

const DOMAIN_EXTERNALS = new Set(['@bufbuild/protobuf']);

/**
 * Checks the layers of STYLE.md "Inside an app": domain does no IO, handlers translate, storage,
 * clients and events do IO, and only service.ts imports everything. Other folders need a decision
 * in docs/decisions/ that names them; all layers but domain may import those.
 */
export const appLayers: Rule = (tree) => {
  const projects = readProjects(tree);
  return projects
    .filter(({ kind }) => kind === 'app')
    .flatMap((app) => {
      const files = tree.paths.filter((path) => isAppSource(projects, app, path));
      const approved = approvedFolders(tree, app);
      return files.flatMap((path) => [
        ...findMisplaced(app, path, approved),
        ...syntaxOf(tree, path).imports.flatMap(({ specifier, line, names }) => {
          const target = toImportTarget(projects, path, specifier);
          const reason = forbiddenReason(app, path, target, names, approved);
          return reason ? [{ path, line, message: `imports ${specifier}: ${reason}.` }] : [];
        }),
      ]);
    });
};

const isAppSource = (projects: readonly Project[], app: Project, path: string): boolean =>
  path.startsWith(`${app.root}/src/`) &&
  isCode(path) &&
  !isTest(path) &&
  projectOf(projects, path) === app;

const layerOf = (app: Project, path: string): string =>
  path.slice(`${app.root}/src/`.length).split('/')[0] ?? '';

const approvedFolders = (tree: Tree, app: Project): ReadonlySet<string> => {
  const texts = tree.paths.filter((path) => path.startsWith('docs/decisions/')).map(tree.read);
  const named = new RegExp(String.raw`\b${app.root}/src/([a-z-]+)`, 'g');
  return new Set(texts.flatMap((text) => [...text.matchAll(named)].map((match) => match[1] ?? '')));
};

const findMisplaced = (app: Project, path: string, approved: ReadonlySet<string>): Finding[] => {
  const layer = layerOf(app, path);
  if (layer in ROOT_FILES || layer in FOLDERS || layer in (EXTRA_FOLDERS[app.root] ?? {}))
    return [];
  if (approved.has(layer)) return [];
  return [
    {
      path,
      message: layer.includes('.')
        ? `is in src/, which contains only ${Object.keys(ROOT_FILES).join(', ')}: use a folder.`
        : `is in a folder that apps do not have; src/${layer} needs a decision in docs/decisions/.`,
    },
  ];
};

const forbiddenReason = (
  app: Project,
  path: string,
  target: ImportTarget,
  names: readonly string[],
  approved: ReadonlySet<string>,
): string | undefined => {
  const layer = layerOf(app, path);
  if (target.kind === 'file')
    return reasonWithinApp(app, layer, layerOf(app, target.path), approved);
  if (layer !== 'domain') return undefined;
  if (target.kind === 'node') {
    return IO_MODULE.test(target.name) ? 'domain does no IO; declare a port' : undefined;
  }
  if (target.project?.kind === 'contracts') {
    const service = names.find((name) => name.endsWith('Service')) !== undefined;
    return target.subpath !== '' || service
      ? 'domain uses messages of contracts, never its services'
      : undefined;
  }
  if (target.project?.kind === 'pure' || target.project?.kind === 'published') return undefined;
  return DOMAIN_EXTERNALS.has(target.name)
    ? undefined
    : 'domain imports domain, pure libraries and messages only; declare a port';
};

const reasonWithinApp = (
  app: Project,
  layer: string,
  targetLayer: string,
  approved: ReadonlySet<string>,
): string | undefined => {
  if (targetLayer === layer) return undefined;
  const allowed = allowedIn(app, layer);
  if (allowed === 'everything' || allowed.includes(targetLayer)) return undefined;
  if (layer !== 'domain' && !(layer in ROOT_FILES) && approved.has(targetLayer)) return undefined;
  const others = ['its own files', ...allowed].join(', ');
  return `${layer} may import ${others}; service.ts joins the rest`;
};

const allowedIn = (app: Project, layer: string): readonly string[] | 'everything' => {
  const extra = EXTRA_FOLDERS[app.root] ?? {};
  return ROOT_FILES[layer] ?? FOLDERS[layer] ?? extra[layer] ?? ['domain', ...Object.keys(extra)];
};
