import { MAX_TEXT_LENGTH } from '../../domain/knowledge/documents/document-text.ts';
import { tooMuchText } from '../../domain/knowledge/documents/document-refusals.ts';

/** Makes text of what a page or a letter is laid out as, in the signs of Markdown. */
export type BlockWriter = {
  /** Words of a paragraph: any white space is one space. */
  write: (words: string) => void;
  /** Text whose spaces and lines stay. */
  writeLines: (text: string) => void;
  /** What follows stands on a line of its own. */
  startLine: () => void;
  /** What follows stands after an empty line. */
  startBlock: () => void;
  startHeading: (level: number) => void;
  startItem: (depth: number) => void;
  /** What follows is no part of a heading or an item that began. */
  endMark: () => void;
  startRow: () => void;
  startCell: () => void;
  endRow: () => void;
  /** All that was written, well formed. */
  end: () => string;
};

/** Throws REQUEST_TOO_LARGE as soon as more than one document's text is written. */
export const createBlockWriter = (): BlockWriter => {
  const parts: string[] = [];
  let length = 0;
  /** Line ends before the next words; more than two are two. */
  let breaks = 0;
  let hasSpace = false;
  /** What the line begins with, once it has words; what begins until then begins no line. */
  let mark = '';
  let isAfterItem = false;
  /** Of the row, and whether the last has no words yet: what begins in it begins no line. */
  let cells = 0;
  let rowAt = 0;
  let isCellFresh = false;

  const push = (text: string): void => {
    length += text.length;
    if (length > MAX_TEXT_LENGTH) throw tooMuchText();
    parts.push(text);
  };
  const begin = (): void => {
    if (length > 0) push(breaks > 0 ? '\n'.repeat(breaks) : hasSpace && mark === '' ? ' ' : '');
    if (breaks > 0 || length === 0) isAfterItem = mark.endsWith('- ');
    push(mark);
    breaks = 0;
    hasSpace = false;
    mark = '';
    isCellFresh = false;
  };
  const breakLines = (count: number): void => {
    hasSpace = false;
    if (!isCellFresh && mark === '') breaks = Math.max(breaks, count);
  };
  return {
    write: (words) => {
      // Most are plain, and this is where the time goes.
      const seen = UNUSUAL.test(words) ? words.replace(UNSEEN, '') : words;
      const clean = seen.replace(SPACES, ' ');
      const bare = clean.trim();
      hasSpace ||= clean.startsWith(' ');
      if (bare === '') return;
      begin();
      push(bare);
      hasSpace = clean.endsWith(' ');
    },
    writeLines: (text) => {
      const clean = text.replace(UNSEEN, '').replace(/\r\n?/g, '\n');
      if (clean === '') return;
      begin();
      push(clean);
    },
    startLine: () => breakLines(1),
    startBlock: () => breakLines(2),
    startHeading: (level) => {
      mark = '';
      breakLines(2);
      mark = `${'#'.repeat(Math.min(6, Math.max(1, level)))} `;
    },
    startItem: (depth) => {
      mark = '';
      if (isAfterItem) breaks = 1;
      else breakLines(1);
      mark = `${'  '.repeat(Math.min(MAX_INDENT, depth))}- `;
    },
    endMark: () => (mark = ''),
    startRow: () => {
      mark = '';
      isCellFresh = false;
      breakLines(1);
      cells = 0;
      rowAt = parts.length;
    },
    startCell: () => {
      // The line begins, be its first cell empty or not.
      if (cells > 0 && parts.length === rowAt) begin();
      if (cells > 0) {
        breaks = 0;
        push(' | ');
      }
      cells += 1;
      hasSpace = false;
      isCellFresh = true;
    },
    endRow: () => {
      isCellFresh = false;
      breaks = 1;
    },
    end: () => parts.join('').trim().toWellFormed(),
  };
};

const MAX_INDENT = 6;
const SPACES = /\s+/g;
const UNUSUAL = /[^ -~\n]/;

/** Controls, what is no character, and soft hyphens: nobody sees them, and words break at them. */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\u00ad\u200b\p{Noncharacter_Code_Point}]/gu;
