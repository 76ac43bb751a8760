import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The files that a rule checks. Paths are relative to the repository's root, with forward slashes.
 */
export type Tree = {
  readonly paths: readonly string[];
  read(path: string): string;
};

/** A violation of a rule; `message` completes a sentence that begins with the path. */
export type Finding = { path: string; line?: number; message: string };

export type Rule = (tree: Tree) => Finding[];

const MAX_LISTING_BYTES = 16 * 1024 * 1024;

const EXCLUDED_FOLDERS = new Set(['.git', 'node_modules']);

/**
 * Lists the files that git tracks or would track, without ignored ones. Without git, for example in
 * an unpacked archive, it walks the folder.
 */
export const openTree = (root: string): Tree => {
  const paths = (listByGit(root) ?? listByWalk(root)).filter((path) =>
    existsSync(join(root, path)),
  );
  return cached(paths, (path) => readFileSync(join(root, path), 'utf8'));
};

/** Returns an in-memory tree, for tests of rules. */
export const treeOf = (files: Readonly<Record<string, string>>): Tree =>
  cached(Object.keys(files), (path) => files[path] ?? '');

const cached = (paths: readonly string[], load: (path: string) => string): Tree => {
  const pathSet = new Set(paths);
  const texts = new Map<string, string>();
  const read = (path: string): string => {
    if (!pathSet.has(path)) throw new Error(`${path} is not in the tree.`);
    const text = texts.get(path) ?? load(path);
    texts.set(path, text);
    return text;
  };
  return { paths: [...pathSet].toSorted(), read };
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
    // There is no git or no work tree, so the caller walks the folder.
    return undefined;
  }
};

const listByWalk = (root: string): string[] => {
  const ignored = new Set([...EXCLUDED_FOLDERS, ...ignoredFolders(root)]);
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return ignored.has(entry.name) ? [] : walk(path);
      return entry.isFile() ? [path] : [];
    });
  return walk('');
};

const ignoredFolders = (root: string): string[] => {
  const file = join(root, '.gitignore');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^[^*#!]+\/$/.test(line))
    .map((line) => line.slice(0, -1));
};

export const isCode = (path: string): boolean =>
  /\.(ts|tsx|mts|cts|js|mjs|cjs)$/.test(path) && !isGenerated(path);

const isGenerated = (path: string): boolean => /(^|\/)(src\/gen|benchmarks\/results)\//.test(path);

/** Returns true for tests, benchmarks, and code that only these use. */
export const isTest = (path: string): boolean =>
  /\.test\.tsx?$|(^|\/)test\/|^(e2e|benchmarks|libs\/testing)\//.test(path);

/** Returns lines `path:line message`, which editors and terminals make clickable. */
export const formatFindings = (findings: readonly Finding[]): string[] =>
  findings.map(({ path, line, message }) => `${path}${line ? `:${line}` : ''} ${message}`);
