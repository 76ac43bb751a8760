import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files that a rule looks at: paths from the repository's root, with forward slashes. */
export type Tree = {
  readonly paths: readonly string[];
  /** The text of one of `paths`; throws for any other. */
  read(path: string): string;
};

/** One place that breaks a rule; `message` says what is wrong and what to do. */
export type Finding = { path: string; line?: number; message: string };

/** A rule is a pure function of the tree. */
export type Rule = (tree: Tree) => Finding[];

/** Guards against a listing that is not this repository. */
const MAX_LISTING_BYTES = 16 * 1024 * 1024;

/** Never part of the sources, whatever `.gitignore` says. */
const NEVER = new Set(['.git', 'node_modules']);

/**
 * Opens the working tree: what git tracks or would track, so ignored files are no part of it.
 * Without git (an unpacked archive, a machine with only Node) it walks the folder instead.
 */
export const openTree = (root: string): Tree => {
  const paths = (listByGit(root) ?? listByWalk(root)).filter((path) =>
    existsSync(join(root, path)),
  );
  return cached(paths, (path) => readFileSync(join(root, path), 'utf8'));
};

/** A tree in memory, for the rules' own tests. */
export const treeOf = (files: Readonly<Record<string, string>>): Tree =>
  cached(Object.keys(files), (path) => files[path] ?? '');

const cached = (paths: readonly string[], load: (path: string) => string): Tree => {
  const known = new Set(paths);
  const texts = new Map<string, string>();
  const read = (path: string): string => {
    if (!known.has(path)) throw new Error(`${path} is not in the tree.`);
    const text = texts.get(path) ?? load(path);
    texts.set(path, text);
    return text;
  };
  return { paths: [...known].toSorted(), read };
};

const listByGit = (root: string): string[] | undefined => {
  try {
    return execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: MAX_LISTING_BYTES,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split('\0')
      .filter(Boolean);
  } catch {
    // No git, or not a work tree of its own: the walk finds the same files.
    return undefined;
  }
};

const listByWalk = (root: string): string[] => {
  const ignored = new Set([...NEVER, ...ignoredFolders(root)]);
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return ignored.has(entry.name) ? [] : walk(path);
      return entry.isFile() ? [path] : [];
    });
  return walk('');
};

/** The plain `name/` lines of `.gitignore`. */
const ignoredFolders = (root: string): string[] => {
  const file = join(root, '.gitignore');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^[^*#!]+\/$/.test(line))
    .map((line) => line.slice(0, -1));
};

/** Program text that people write. */
export const isCode = (path: string): boolean =>
  /\.(ts|tsx|mts|cts|js|mjs|cjs)$/.test(path) && !isMachineMade(path);

/** Generated code and measured results: nobody writes them by hand. */
const isMachineMade = (path: string): boolean =>
  /(^|\/)(src\/gen|benchmarks\/results)\//.test(path);

/** Tests and what only tests run. */
export const isTest = (path: string): boolean =>
  /\.test\.tsx?$|(^|\/)test\/|^(e2e|benchmarks|libs\/testing)\//.test(path);

/** Findings as lines `path:line message`, the form that editors and terminals make clickable. */
export const formatFindings = (findings: readonly Finding[]): string[] =>
  findings.map(({ path, line, message }) => `${path}${line ? `:${line}` : ''} ${message}`);
