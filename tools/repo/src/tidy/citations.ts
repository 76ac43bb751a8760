import { dirname, join } from 'node:path/posix';
import { syntaxOf } from '../syntax.ts';
import { isCode, type Rule, type Tree } from '../tree.ts';

const SPECIFICATION = 'docs/spec.md';

/** Matches a page with an optional section, but not patterns such as `*.md`. */
const PAGE = /(?<![\w*./{}<>-])((?:\.{1,2}\/)*[\w-][\w./-]*\.md)(?:#([\w.-]*\w))?/g;

/** Matches short names of documents that are not in the repository. */
const EXTERNAL_DOCUMENT = /\bSeed \d[\d.]*|\((?:C\d(?: step \d)?)[),;]/g;

/**
 * Checks that every page that a comment cites exists, and so does the anchor of every cited section
 * of the specification.
 */
export const citations: Rule = (tree) => {
  const sections = sectionsOf(tree);
  const errorsIn = (text: string, path: string): string[] => [
    ...[...text.matchAll(EXTERNAL_DOCUMENT)].map(
      ([cited]) => `cites ${cited}, which is not in the repository.`,
    ),
    ...[...text.matchAll(PAGE)].flatMap(([, page = '', section]) => {
      const target = findPage(tree, path, page);
      if (target === undefined) return [`cites ${page}, which is not in the repository.`];
      if (section === undefined || target !== SPECIFICATION || sections.has(section)) return [];
      return [`cites section ${section} of the specification, which has none of that number.`];
    }),
  ];
  return tree.paths.filter(isCode).flatMap((path) =>
    syntaxOf(tree, path)
      .comments.flatMap(({ text, line }) =>
        text.split('\n').map((part, index) => ({ text: part, line: line + index })),
      )
      .flatMap(({ text, line }) =>
        errorsIn(text, path).map((message) => ({ path, line, message })),
      ),
  );
};

const sectionsOf = (tree: Tree): ReadonlySet<string> => {
  if (!tree.paths.includes(SPECIFICATION)) return new Set();
  const anchors = tree.read(SPECIFICATION).matchAll(/<a id="([\d.]+)">/g);
  return new Set([...anchors].map(([, section = '']) => section));
};

const findPage = (tree: Tree, path: string, page: string): string | undefined => {
  const known = new Set(tree.paths);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const candidate = join(folder, page);
    if (known.has(candidate)) return candidate;
    if (folder === '.') return undefined;
  }
};
