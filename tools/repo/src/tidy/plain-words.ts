import { syntaxOf } from '../syntax.ts';
import { isCode, type Finding, type Rule, type Tree } from '../tree.ts';

/**
 * Words of a private idiom, each with the term of the field to use instead. Checked in names of
 * files, in identifiers, comments, contracts and pages. docs/glossary.md has the terms to use.
 */
const INSTEAD: Readonly<Record<string, string>> = {
  scribe: 'batch writer',
  clerk: 'synthesizer',
  courier: 'delivery worker',
  shelf: 'assembler',
  seam: 'joiner',
  luck: 'random',
  workbench: 'draft turn',
  meters: 'metrics',
};

/** What history and measured rows say stays as it was said. */
const EXEMPT: readonly { paths: RegExp; reason: string }[] = [
  { paths: /\/migrations\//, reason: 'an applied migration never changes' },
  { paths: /^CHANGELOG\.md$|^docs\/decisions\//, reason: 'history, in the words of its time' },
  { paths: /\/results\//, reason: 'measured output' },
  { paths: /^libs\/privacy\/(training|src\/gen)\//, reason: 'lists of names and words as data' },
  { paths: /\/tidy\/plain-words(\.test)?\.ts$/, reason: 'the list itself' },
];

const PROSE = /\.(md|proto|sql)$/;

/** No word of a private idiom in what engineers read: the field has a term for each. */
export const plainWords: Rule = (tree) =>
  tree.paths
    .filter((path) => !EXEMPT.some(({ paths }) => paths.test(path)))
    .flatMap((path) => [
      ...bannedIn([{ text: path, line: 1 }], path),
      ...bannedIn(PROSE.test(path) ? linesOf(tree, path) : [], path),
      ...bannedIn(isCode(path) ? readableOf(tree, path) : [], path),
    ]);

type Readable = { text: string; line: number };

const linesOf = (tree: Tree, path: string): Readable[] =>
  tree
    .read(path)
    .split('\n')
    .map((text, index) => ({ text, line: index + 1 }));

const readableOf = (tree: Tree, path: string): Readable[] => {
  const { identifiers, comments } = syntaxOf(tree, path);
  return [...identifiers, ...comments];
};

const bannedIn = (readable: readonly Readable[], path: string): Finding[] =>
  readable.flatMap(({ text, line }) =>
    wordsOf(text)
      .filter((word) => Object.hasOwn(INSTEAD, word))
      .map((word) => ({ path, line, message: `says "${word}": say ${INSTEAD[word]}.` })),
  );

const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
