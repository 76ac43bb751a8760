import { isCode, type Finding, type Rule, type Tree } from '../tree.ts';

export const WARNING_LINES = 250;
const ERROR_LINES = 400;

/** Lists files that exceeded the limit when the rule was added. They may shrink but not grow. */
export const RATCHET = 'tools/repo/src/tidy/file-size-ratchet.json';

/** Checks STYLE.md "Size": a file has at most 400 lines, except for files in the ratchet. */
export const fileSize: Rule = (tree) => {
  const allowed = readRatchet(tree);
  const tooLong = sizes(tree).flatMap(({ path, lines }): Finding[] => {
    const limit = allowed[path] ?? ERROR_LINES;
    return lines > limit
      ? [{ path, message: `has ${lines} lines, the limit is ${limit}: split it.` }]
      : [];
  });
  return [...tooLong, ...staleEntries(tree, allowed)];
};

export const longFiles: Rule = (tree) =>
  sizes(tree)
    .filter(({ lines }) => lines > WARNING_LINES && lines <= ERROR_LINES)
    .map(({ path, lines }) => ({
      path,
      message: `has ${lines} lines, more than ${WARNING_LINES}.`,
    }));

const sizes = (tree: Tree): { path: string; lines: number }[] =>
  tree.paths.filter(isCode).map((path) => ({ path, lines: countLines(tree.read(path)) }));

const countLines = (text: string): number => text.trimEnd().split('\n').length;

const readRatchet = (tree: Tree): Record<string, number> =>
  tree.paths.includes(RATCHET) ? (JSON.parse(tree.read(RATCHET)) as Record<string, number>) : {};

const staleEntries = (tree: Tree, allowed: Record<string, number>): Finding[] =>
  Object.entries(allowed).flatMap(([path, limit]) => {
    const lines = tree.paths.includes(path) ? countLines(tree.read(path)) : 0;
    if (lines >= limit) return [];
    const fix = lines > ERROR_LINES ? `lower its entry to ${lines}` : 'remove its entry';
    return [{ path: RATCHET, message: `allows ${path} ${limit} lines, it has ${lines}: ${fix}.` }];
  });
