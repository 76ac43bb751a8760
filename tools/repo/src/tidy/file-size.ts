import { isCode, type Finding, type Rule, type Tree } from '../tree.ts';

/** A file at or below this many lines needs no thought. */
export const WARNING_LINES = 250;
const ERROR_LINES = 400;

/** The files that were over the limit when the rule came: each may shrink, none may grow. */
export const RATCHET = 'tools/repo/src/tidy/file-size-ratchet.json';

/** STYLE.md "Size": no file over 400 lines, but for what the ratchet file still lists. */
export const fileSize: Rule = (tree) => {
  const allowed = readRatchet(tree);
  const tooLong = sizes(tree).flatMap(({ path, lines }): Finding[] => {
    const limit = allowed[path] ?? ERROR_LINES;
    return lines > limit
      ? [{ path, message: `has ${lines} lines, the limit is ${limit}: split it by idea.` }]
      : [];
  });
  return [...tooLong, ...staleEntries(tree, allowed)];
};

/** Files that pass, but are long enough to think about. */
export const longFiles: Rule = (tree) =>
  sizes(tree)
    .filter(({ lines }) => lines > WARNING_LINES && lines <= ERROR_LINES)
    .map(({ path, lines }) => ({
      path,
      message: `has ${lines} lines; ${WARNING_LINES} are many.`,
    }));

const sizes = (tree: Tree): { path: string; lines: number }[] =>
  tree.paths.filter(isCode).map((path) => ({ path, lines: countLines(tree.read(path)) }));

const countLines = (text: string): number => text.trimEnd().split('\n').length;

const readRatchet = (tree: Tree): Record<string, number> =>
  tree.paths.includes(RATCHET) ? (JSON.parse(tree.read(RATCHET)) as Record<string, number>) : {};

/** The ratchet only turns one way: an entry follows its file down and goes with it. */
const staleEntries = (tree: Tree, allowed: Record<string, number>): Finding[] =>
  Object.entries(allowed).flatMap(([path, limit]) => {
    const lines = tree.paths.includes(path) ? countLines(tree.read(path)) : 0;
    if (lines >= limit) return [];
    const fix = lines > ERROR_LINES ? `lower its entry to ${lines}` : 'remove its entry';
    return [{ path: RATCHET, message: `allows ${path} ${limit} lines, it has ${lines}: ${fix}.` }];
  });
