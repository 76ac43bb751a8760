import { projectOf, readProjects, type Project } from '../projects.ts';
import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Finding, type Rule, type Tree } from '../tree.ts';
import { toImportTarget, type ImportTarget } from './import-target.ts';

/** The files beside the folders of an app, and what each may import of the app. */
const ROOT_FILES: Readonly<Record<string, readonly string[] | 'everything'>> = {
  'main.ts': ['config.ts', 'service.ts'],
  // Names the settings and defaults that the parts declare; no part imports the config.
  'config.ts': 'everything',
  'metrics.ts': ['domain'],
  'service.ts': 'everything',
  'index.ts': 'everything',
};

/** The folders of an app, and which others of its folders each may import. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  handlers: ['domain'],
  storage: ['domain'],
  clients: ['domain'],
  events: ['domain'],
};

/** Folders that one app has beyond the common ones. */
const EXTRA_FOLDERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'apps/api-gateway': { routes: ['domain', 'errors'], errors: ['domain'] },
  'apps/llm-gateway': { providers: ['domain'] },
};

/** Node modules that reach out of the process. Hashing is no IO, so node:crypto is allowed. */
const IO_MODULE =
  /^node:(child_process|cluster|dgram|dns|fs|http|http2|https|inspector|net|os|process|readline|repl|sqlite|tls|tty|worker_threads)(\/|$)/;

/** What domain code may import from npm: plain messages, and nothing that does IO. */
const DOMAIN_EXTERNALS = new Set(['@bufbuild/protobuf']);

/**
 * STYLE.md "Inside an app": domain decides and knows no IO, handlers translate, storage, clients
 * and events do, and only service.ts sees everything. A folder beyond the common ones needs a
 * decision in docs/decisions/ that names it; then the other folders, but domain, may import it.
 */
export const appLayers: Rule = (tree) => {
  const projects = readProjects(tree);
  return projects
    .filter(({ kind }) => kind === 'app')
    .flatMap((app) => {
      const files = tree.paths.filter((path) => isAppSource(projects, app, path));
      const decided = decidedFolders(tree, app);
      return files.flatMap((path) => [
        ...misplaced(app, path, decided),
        ...syntaxOf(tree, path).imports.flatMap(({ specifier, line, names }) => {
          const target = toImportTarget(projects, path, specifier);
          const reason = reasonAgainst(app, path, target, names, decided);
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

/** The folder or root file of the app that a path is in: `domain`, `config.ts`. */
const layerOf = (app: Project, path: string): string =>
  path.slice(`${app.root}/src/`.length).split('/')[0] ?? '';

/** The further folders of an app that a decision names, as in `apps/ledger/src/jobs`. */
const decidedFolders = (tree: Tree, app: Project): ReadonlySet<string> => {
  const texts = tree.paths.filter((path) => path.startsWith('docs/decisions/')).map(tree.read);
  const named = new RegExp(String.raw`\b${app.root}/src/([a-z-]+)`, 'g');
  return new Set(texts.flatMap((text) => [...text.matchAll(named)].map((match) => match[1] ?? '')));
};

const misplaced = (app: Project, path: string, decided: ReadonlySet<string>): Finding[] => {
  const layer = layerOf(app, path);
  if (layer in ROOT_FILES || layer in FOLDERS || layer in (EXTRA_FOLDERS[app.root] ?? {}))
    return [];
  if (decided.has(layer)) return [];
  return [
    {
      path,
      message: layer.includes('.')
        ? `is beside ${Object.keys(ROOT_FILES).join(', ')}: it belongs into a folder.`
        : `is in a folder that apps do not have; src/${layer} needs a decision in docs/decisions/.`,
    },
  ];
};

const reasonAgainst = (
  app: Project,
  path: string,
  target: ImportTarget,
  names: readonly string[],
  decided: ReadonlySet<string>,
): string | undefined => {
  const layer = layerOf(app, path);
  if (target.kind === 'file') return reasonInside(app, layer, layerOf(app, target.path), decided);
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

const reasonInside = (
  app: Project,
  layer: string,
  other: string,
  decided: ReadonlySet<string>,
): string | undefined => {
  if (other === layer) return undefined;
  const allowed = allowedIn(app, layer);
  if (allowed === 'everything' || allowed.includes(other)) return undefined;
  if (layer !== 'domain' && !(layer in ROOT_FILES) && decided.has(other)) return undefined;
  const others = ['its own files', ...allowed].join(', ');
  return `${layer} may import ${others}; service.ts joins the rest`;
};

/** A folder that a decision added works with domain and with what else only this app has. */
const allowedIn = (app: Project, layer: string): readonly string[] | 'everything' => {
  const extra = EXTRA_FOLDERS[app.root] ?? {};
  return ROOT_FILES[layer] ?? FOLDERS[layer] ?? extra[layer] ?? ['domain', ...Object.keys(extra)];
};
