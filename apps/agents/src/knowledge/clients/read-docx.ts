import { posix } from 'node:path';
import {
  damagedDocument,
  DocumentRefusal,
  unsupportedFormat,
} from '../documents/document-refusals.ts';
import { createBlockWriter } from './block-writer.ts';
import type { BlockWriter } from './block-writer.ts';
import { openWordPackage } from './open-word-package.ts';
import type { WordPackage } from './open-word-package.ts';

/**
 * Returns the title of a Word document and its text as Markdown, with its footnotes and endnotes,
 * as if all tracked changes were accepted.
 */
export const readDocx = async (bytes: Uint8Array): Promise<{ text: string; title: string }> => {
  try {
    const word = await openWordPackage(bytes);
    const main = await findMain(word);
    if (!main) throw unsupportedFormat('The document is a ZIP file that is no Word document.');
    const folder = posix.dirname(main);
    const headings = await readHeadings(word, `${folder}/styles.xml`);
    const writer = createBlockWriter();
    for (const name of [main, `${folder}/footnotes.xml`, `${folder}/endnotes.xml`]) {
      await writePart(word, name, { writer, headings });
    }
    return { text: writer.end(), title: await readTitle(word) };
  } catch (error) {
    throw error instanceof DocumentRefusal ? error : damagedDocument('The Word document', error);
  }
};

const MAIN_RELATION = '/officeDocument';

const findMain = async (word: WordPackage): Promise<string | undefined> => {
  let main: string | undefined;
  await word.readPart('_rels/.rels', {
    open: (name, attribute) => {
      if (name !== 'Relationship' || !attribute('Type')?.endsWith(MAIN_RELATION)) return;
      main ??= posix.normalize((attribute('Target') ?? '').replace(/^\//, ''));
    },
  });
  // Excludes spreadsheets and presentations, whose main part is in a folder other than `word/`.
  return main?.startsWith('word/') && word.has(main) ? main : undefined;
};

/**
 * Returns heading levels by style id. The styles are read from the file, because their ids depend
 * on the language of Word.
 */
const readHeadings = async (
  word: WordPackage,
  name: string,
): Promise<ReadonlyMap<string, number>> => {
  const levels = new Map<string, number>();
  let style = '';
  await word.readPart(name, {
    open: (element, attribute) => {
      if (element === 'style') style = attribute('styleId') ?? '';
      if (element !== 'name') return;
      const found = /^(?:heading ([1-6])|(title))$/i.exec(attribute('val') ?? '');
      if (found) levels.set(style, Number(found[1] ?? 1));
    },
  });
  return levels;
};

const readTitle = async (word: WordPackage): Promise<string> => {
  let isTitle = false;
  let title = '';
  await word.readPart('docProps/core.xml', {
    open: (name) => (isTitle = name === 'title'),
    text: (text) => {
      if (isTitle) title = (title + text).slice(0, MAX_TITLE_LENGTH);
    },
    close: () => (isTitle = false),
  });
  return title;
};

const MAX_TITLE_LENGTH = 1000;

type PartOutput = { writer: BlockWriter; headings: ReadonlyMap<string, number> };

const writePart = async (
  word: WordPackage,
  name: string,
  { writer, headings }: PartOutput,
): Promise<void> => {
  let skippedDepth = 0;
  let isText = false;
  await word.readPart(name, {
    open: (element, attribute) => {
      if (SKIPPED_ELEMENTS.has(element) || isSeparator(element, attribute)) skippedDepth += 1;
      else if (skippedDepth > 0) skippedDepth += 1;
      if (skippedDepth > 0) return;
      isText = element === 't';
      const value = attribute('val');
      if (element === 'pStyle' && headings.has(value ?? '')) {
        writer.startHeading(headings.get(value!)!);
      } else if (element === 'ilvl') writer.startItem(Number(value) || 0);
      else OPEN_HANDLERS[element]?.(writer);
    },
    text: (text) => {
      if (isText && skippedDepth === 0) writer.write(text);
    },
    close: (element) => {
      isText = false;
      if (skippedDepth > 0) skippedDepth -= 1;
      else CLOSE_HANDLERS[element]?.(writer);
    },
  });
};

const SKIPPED_ELEMENTS = new Set(['del', 'moveFrom', 'Fallback', 'delText', 'instrText']);

/** Returns true for the separator line above footnotes or endnotes, which Word stores as a note. */
const isSeparator = (element: string, attribute: (name: string) => string | undefined): boolean =>
  (element === 'footnote' || element === 'endnote') &&
  (attribute('type')?.toLowerCase().includes('separator') ?? false);

const OPEN_HANDLERS: Readonly<Record<string, (writer: BlockWriter) => void>> = {
  p: (writer) => writer.startBlock(),
  tbl: (writer) => writer.startBlock(),
  tr: (writer) => writer.startRow(),
  tc: (writer) => writer.startCell(),
  br: (writer) => writer.startLine(),
  cr: (writer) => writer.startLine(),
  tab: (writer) => writer.write(' '),
  noBreakHyphen: (writer) => writer.write('-'),
};

const CLOSE_HANDLERS: Readonly<Record<string, (writer: BlockWriter) => void>> = {
  p: (writer) => {
    writer.endLinePrefix();
    writer.startBlock();
  },
  tr: (writer) => writer.endRow(),
  tbl: (writer) => writer.startBlock(),
};
