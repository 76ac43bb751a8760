import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Rule, type Tree } from '../tree.ts';

const COLUMNS = 100;

const UNBREAKABLE = /\S{81,}/;

/**
 * Checks STYLE.md "Size": a line has at most 100 columns. Lines with an unbreakable word of more
 * than 80 columns are exempt and, in tests, the columns of strings do not count.
 */
export const lineLength: Rule = (tree) =>
  tree.paths
    .filter((path) => isCode(path) || path.endsWith('.sql'))
    .flatMap((path) =>
      tree
        .read(path)
        .split('\n')
        .map((text, index) => ({ text, line: index + 1, columns: columnsOf(text) }))
        .filter(({ text, columns }) => columns > COLUMNS && !UNBREAKABLE.test(text))
        .filter(({ line, columns }) => columns - testTextColumns(tree, path, line) > COLUMNS)
        .map(({ line, columns }) => ({
          path,
          line,
          message: `is ${columns} columns wide, the limit is ${COLUMNS}: wrap it.`,
        })),
    );

const columnsOf = (text: string): number => [...text].length;

const testTextColumns = (tree: Tree, path: string, line: number): number =>
  isTest(path)
    ? syntaxOf(tree, path)
        .strings.filter((text) => text.line === line)
        .reduce((sum, { text }) => sum + columnsOf(text), 0)
    : 0;
