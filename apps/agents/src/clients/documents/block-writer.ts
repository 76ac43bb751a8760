import { MAX_TEXT_LENGTH } from '../../domain/knowledge/documents/document-text.ts';
import { tooMuchText } from '../../domain/knowledge/documents/document-refusals.ts';

export type BlockWriter = {
  /** Writes text and collapses white space. */
  write: (words: string) => void;
  /** Writes text and preserves spaces and line breaks. */
  writeLines: (text: string) => void;
  startLine: () => void;
  startBlock: () => void;
  startHeading: (level: number) => void;
  startItem: (depth: number) => void;
  endMark: () => void;
  startRow: () => void;
  startCell: () => void;
  endRow: () => void;
  end: () => string;
};

export const createBlockWriter = (): BlockWriter => {
  const page = createPage();
  let isAfterItem = false;
  const begin = (): void => {
    if (page.startsLine()) isAfterItem = page.mark.endsWith('- ');
    page.begin();
  };
  return {
    write: (words) => {
      // Fast path: most text is plain ASCII.
      const seen = UNUSUAL.test(words) ? words.replace(UNSEEN, '') : words;
      const clean = seen.replace(SPACES, ' ');
      const bare = clean.trim();
      page.hasSpace ||= clean.startsWith(' ');
      if (bare === '') return;
      begin();
      page.push(bare);
      page.hasSpace = clean.endsWith(' ');
    },
    writeLines: (text) => {
      const clean = text.replace(UNSEEN, '').replace(/\r\n?/g, '\n');
      if (clean === '') return;
      begin();
      page.push(clean);
    },
    startLine: () => page.breakLines(1),
    startBlock: () => page.breakLines(2),
    startHeading: (level) => {
      page.mark = '';
      page.breakLines(2);
      page.mark = `${'#'.repeat(Math.min(6, Math.max(1, level)))} `;
    },
    startItem: (depth) => {
      page.mark = '';
      if (isAfterItem) page.breaks = 1;
      else page.breakLines(1);
      page.mark = `${'  '.repeat(Math.min(MAX_INDENT, depth))}- `;
    },
    endMark: () => (page.mark = ''),
    ...createRows(page, begin),
    end: () => page.parts.join('').trim().toWellFormed(),
  };
};

type Page = ReturnType<typeof createPage>;

const createPage = () => {
  let length = 0;
  const page = {
    parts: [] as string[],
    /** Line breaks before the next text; at most two. */
    breaks: 0,
    hasSpace: false,
    /**
     * Markdown prefix of the current line, written with its first text. Until then further blocks
     * start no new line.
     */
    mark: '',
    /** True while the last cell of a row is empty: blocks inside it start no new line. */
    isCellFresh: false,
    startsLine: () => page.breaks > 0 || length === 0,
    push: (text: string): void => {
      length += text.length;
      if (length > MAX_TEXT_LENGTH) throw tooMuchText();
      page.parts.push(text);
    },
    begin: (): void => {
      const { breaks, hasSpace, mark } = page;
      if (length > 0) {
        page.push(breaks > 0 ? '\n'.repeat(breaks) : hasSpace && mark === '' ? ' ' : '');
      }
      page.push(mark);
      Object.assign(page, { breaks: 0, hasSpace: false, mark: '', isCellFresh: false });
    },
    breakLines: (count: number): void => {
      page.hasSpace = false;
      if (!page.isCellFresh && page.mark === '') page.breaks = Math.max(page.breaks, count);
    },
  };
  return page;
};

const createRows = (
  page: Page,
  begin: () => void,
): Pick<BlockWriter, 'startRow' | 'startCell' | 'endRow'> => {
  let cells = 0;
  let rowAt = 0;
  return {
    startRow: () => {
      page.mark = '';
      page.isCellFresh = false;
      page.breakLines(1);
      cells = 0;
      rowAt = page.parts.length;
    },
    startCell: () => {
      if (cells > 0 && page.parts.length === rowAt) begin();
      if (cells > 0) {
        page.breaks = 0;
        page.push(' | ');
      }
      cells += 1;
      page.hasSpace = false;
      page.isCellFresh = true;
    },
    endRow: () => {
      page.isCellFresh = false;
      page.breaks = 1;
    },
  };
};

const MAX_INDENT = 6;
const SPACES = /\s+/g;
const UNUSUAL = /[^ -~\n]/;

/**
 * Control characters, noncharacters, soft hyphens and zero-width spaces: they are invisible and
 * split words.
 */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\u00ad\u200b\p{Noncharacter_Code_Point}]/gu;
