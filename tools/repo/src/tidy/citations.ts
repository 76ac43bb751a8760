import { dirname, join } from 'node:path/posix';
import { syntaxOf } from '../syntax.ts';
import { isCode, type Rule, type Tree } from '../tree.ts';

const SPECIFICATION = 'docs/spec.md';

/** A page, with the section that it is cited for. Patterns such as `*.md` name no page. */
const PAGE = /(?<![\w*./{}<>-])((?:\.{1,2}\/)*[\w-][\w./-]*\.md)(?:#([\w.-]*\w))?/g;

/** Citations of documents that were never in the repository, by their short names. */
const OUTSIDE = /\bSeed \d[\d.]*|\((?:C\d(?: step \d)?)[),;]/g;

/**
 * Whatever a comment or a page cites is in the repository: the file exists, and a section of the
 * specification has its anchor.
 */
export const citations: Rule = (tree) => {
  const sections = sectionsOf(tree);
  const wrongIn = (text: string, path: string): string[] => [
    ...[...text.matchAll(OUTSIDE)].map(
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
        text.split('\n').map((one, index) => ({ text: one, line: line + index })),
      )
      .flatMap(({ text, line }) => wrongIn(text, path).map((message) => ({ path, line, message }))),
  );
};

const sectionsOf = (tree: Tree): ReadonlySet<string> => {
  if (!tree.paths.includes(SPECIFICATION)) return new Set();
  const anchors = tree.read(SPECIFICATION).matchAll(/<a id="([\d.]+)">/g);
  return new Set([...anchors].map(([, section = '']) => section));
};

/** The path that a comment of `path` means: from the root, or from a folder above the file. */
const findPage = (tree: Tree, path: string, page: string): string | undefined => {
  const known = new Set(tree.paths);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const candidate = join(folder, page);
    if (known.has(candidate)) return candidate;
    if (folder === '.') return undefined;
  }
};
