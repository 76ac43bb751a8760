import { projectOf, readProjects, type Kind, type Project } from '../projects.ts';
import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Finding, type Rule, type Tree } from '../tree.ts';
import { toImportTarget, type ImportTarget } from './import-target.ts';

const ANY: readonly Kind[] = [
  'app',
  'kit',
  'contracts',
  'pure',
  'published',
  'testing',
  'tool',
  'web',
];

const MAY_IMPORT: Readonly<Record<Kind, readonly Kind[]>> = {
  app: ['contracts', 'kit', 'pure', 'published'],
  kit: ['contracts', 'published'],
  contracts: [],
  pure: ['contracts', 'pure', 'published'],
  published: [],
  testing: ANY,
  tool: ANY,
  web: ['published', 'pure'],
};

const PURE_EXTERNALS = new Set(['@bufbuild/protobuf']);

/**
 * Checks that every project has a `kind:` tag, that imports between projects follow these tags, and
 * that pure and published code imports no Node modules. Tests and the command line of published
 * code are exempt from the last rule.
 */
export const projectKinds: Rule = (tree) => {
  const projects = readProjects(tree);
  const untagged = projects
    .filter(({ root, kind }) => root !== '' && kind === undefined)
    .map(({ root }) => ({
      path: `${root}/package.json`,
      message: `has no tag of ${ANY.map((kind) => `kind:${kind}`).join(', ')} in nx.tags.`,
    }));
  const imports = tree.paths
    .filter(isCode)
    .flatMap((path) => forbiddenImports(tree, projects, path));
  return [...untagged, ...imports];
};

const forbiddenImports = (tree: Tree, projects: readonly Project[], path: string): Finding[] => {
  const project = projectOf(projects, path);
  if (!project?.kind) return [];
  return syntaxOf(tree, path).imports.flatMap(({ specifier, line }) => {
    const target = toImportTarget(projects, path, specifier);
    const reason = isTest(path)
      ? reasonInTest(project, target)
      : (reasonWithinRepository(project, target) ?? reasonExternal(project, path, target));
    return reason ? [{ path, line, message: `imports ${specifier}: ${reason}.` }] : [];
  });
};

const reasonWithinRepository = (project: Project, target: ImportTarget): string | undefined => {
  if (target.kind === 'node' || !target.project?.kind || target.project === project)
    return undefined;
  const kind = project.kind ?? 'tool';
  if (MAY_IMPORT[kind].includes(target.project.kind)) return undefined;
  const allowed = MAY_IMPORT[kind].join(', ') || 'nothing of ours';
  return `kind:${kind} may import ${allowed}, not kind:${target.project.kind}`;
};

const reasonInTest = (project: Project, target: ImportTarget): string | undefined =>
  target.kind !== 'node' && target.project?.kind === 'testing'
    ? undefined
    : reasonWithinRepository(project, target);

const reasonExternal = (
  project: Project,
  path: string,
  target: ImportTarget,
): string | undefined => {
  if (project.kind === 'web' && target.kind === 'node') return 'the console runs in browsers';
  if (project.kind === 'published') return reasonInBrowser(project, path, target);
  if (project.kind !== 'pure') return undefined;
  if (target.kind === 'node') return 'pure code uses nothing of Node';
  if (target.kind === 'file' || target.project || PURE_EXTERNALS.has(target.name)) return undefined;
  return `a pure library may use ${[...PURE_EXTERNALS].join(', ')} of npm only`;
};

/**
 * Returns why published code must not import a module, or undefined if it may. Published code runs
 * in browsers, except for its command line.
 */
const reasonInBrowser = (
  project: Project,
  path: string,
  target: ImportTarget,
): string | undefined => {
  const commandLine = `${project.root}/src/cli/`;
  if (path.startsWith(commandLine) || !path.startsWith(`${project.root}/src/`)) return undefined;
  const needsNode =
    target.kind === 'node' || (target.kind === 'file' && target.path.startsWith(commandLine));
  return needsNode ? 'published code runs in browsers; src/cli/ is what may use Node' : undefined;
};
