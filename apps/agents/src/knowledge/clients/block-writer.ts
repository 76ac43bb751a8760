import { MAX_TEXT_LENGTH } from '../documents/document-text.ts';
import { tooMuchText } from '../documents/document-refusals.ts';

export type BlockWriter = {
  /** Writes text with each run of white space collapsed to one space. */
  write: (text: string) => void;
  /** Writes text with its white space preserved, for example code. */
  writeLines: (text: string) => void;
  startLine: () => void;
  startBlock: () => void;
  startHeading: (level: number) => void;
  startItem: (depth: number) => void;
  endLinePrefix: () => void;
  startRow: () => void;
  startCell: () => void;
  endRow: () => void;
  end: () => string;
};

export const createBlockWriter = (): BlockWriter => {
  const page = createPage();
  let isAfterItem = false;
  const beginText = (): void => {
    if (page.startsLine()) isAfterItem = page.linePrefix.endsWith('- ');
    page.writeSeparators();
  };
  return {
    write: (text) => {
      // Fast path: printable ASCII, which most text is, contains no invisible characters.
      const visible = NOT_PRINTABLE_ASCII.test(text) ? text.replace(INVISIBLE, '') : text;
      const collapsedText = visible.replace(SPACES, ' ');
      const trimmed = collapsedText.trim();
      page.hasSpace ||= collapsedText.startsWith(' ');
      if (trimmed === '') return;
      beginText();
      page.push(trimmed);
      page.hasSpace = collapsedText.endsWith(' ');
    },
    writeLines: (text) => {
      const clean = text.replace(INVISIBLE, '').replace(/\r\n?/g, '\n');
      if (clean === '') return;
      beginText();
      page.push(clean);
    },
    startLine: () => page.breakLines(1),
    startBlock: () => page.breakLines(2),
    startHeading: (level) => {
      page.linePrefix = '';
      page.breakLines(2);
      page.linePrefix = `${'#'.repeat(Math.min(6, Math.max(1, level)))} `;
    },
    startItem: (depth) => {
      page.linePrefix = '';
      if (isAfterItem) page.breaks = 1;
      else page.breakLines(1);
      page.linePrefix = `${'  '.repeat(Math.min(MAX_INDENT, depth))}- `;
    },
    endLinePrefix: () => (page.linePrefix = ''),
    ...createRows(page, beginText),
    end: () => page.parts.join('').trim().toWellFormed(),
  };
};

type Page = ReturnType<typeof createPage>;

const createPage = () => {
  let length = 0;
  const page = {
    parts: [] as string[],
    /** Number of line breaks to write before the next text, at most two. */
    breaks: 0,
    hasSpace: false,
    /**
     * Markdown prefix of the current line, such as `- `, which is written with the line's first
     * text. Until then nested blocks start no new line, so that the prefix and the text share a
     * line.
     */
    linePrefix: '',
    /** True while the current table cell is empty; blocks inside it then start no new line. */
    isCellEmpty: false,
    startsLine: () => page.breaks > 0 || length === 0,
    push: (text: string): void => {
      length += text.length;
      if (length > MAX_TEXT_LENGTH) throw tooMuchText();
      page.parts.push(text);
    },
    writeSeparators: (): void => {
      const { breaks, hasSpace, linePrefix } = page;
      if (length > 0) {
        page.push(breaks > 0 ? '\n'.repeat(breaks) : hasSpace && linePrefix === '' ? ' ' : '');
      }
      page.push(linePrefix);
      Object.assign(page, { breaks: 0, hasSpace: false, linePrefix: '', isCellEmpty: false });
    },
    breakLines: (count: number): void => {
      page.hasSpace = false;
      if (!page.isCellEmpty && page.linePrefix === '') page.breaks = Math.max(page.breaks, count);
    },
  };
  return page;
};

const createRows = (
  page: Page,
  beginText: () => void,
): Pick<BlockWriter, 'startRow' | 'startCell' | 'endRow'> => {
  let cells = 0;
  let rowStart = 0;
  return {
    startRow: () => {
      page.linePrefix = '';
      page.isCellEmpty = false;
      page.breakLines(1);
      cells = 0;
      rowStart = page.parts.length;
    },
    startCell: () => {
      if (cells > 0 && page.parts.length === rowStart) beginText();
      if (cells > 0) {
        page.breaks = 0;
        page.push(' | ');
      }
      cells += 1;
      page.hasSpace = false;
      page.isCellEmpty = true;
    },
    endRow: () => {
      page.isCellEmpty = false;
      page.breaks = 1;
    },
  };
};

const MAX_INDENT = 6;
const SPACES = /\s+/g;
const NOT_PRINTABLE_ASCII = /[^ -~\n]/;

/**
 * Invisible characters, which are removed because they split words: control characters other than
 * tab and line breaks, noncharacters, soft hyphens and zero-width spaces.
 */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\u00ad\u200b\p{Noncharacter_Code_Point}]/gu;
