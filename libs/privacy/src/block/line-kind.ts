import { CODE_ALONE, CODE_END, CODE_PAIRS, CODE_START, IDENTIFIERS } from './code-forms.ts';
import { isHeader, isKeyed, isMember, isRecord, isSeparated } from './data-forms.ts';

/** What a line of a text is to the search for names. */
export const LINE = {
  /** Human language. */
  prose: 0,
  /** Keys with values, tables, log lines, markup: values may be names, keys are none. */
  data: 1,
  /** Source code and everything in it, its comments too. */
  code: 2,
} as const;

/** What a line looks like by itself; of the last four, the lines around it decide. */
export const LOOK = { ...LINE, comment: 3, unclear: 4, blank: 5, figures: 6 } as const;

/** Longer lines are judged by their beginning, so that no pattern sees a long text. */
const READ_MAX = 400;

/** From this score a line is code; a key with a value is so often data that it takes more. */
const CODE_SCORE = 2;
const KEYED_CODE_SCORE = 4;
/** What a sentence has less. */
const SENTENCE_SCORE = 3;

/** Returns one of `LOOK` for a line by itself. */
export const lookOf = (line: string): number => {
  const whole = line.slice(0, READ_MAX).trim();
  if (PLAIN_LINE.test(whole) && isMostly(countWords(whole), 4, 0.7)) return LOOK.prose;
  if (!HAS_LETTER.test(whole)) return LOOK.blank;
  const isStarred = /^\*\s/.test(whole);
  const text = isStarred ? whole.slice(1).trimStart() : whole.replace(DIFF_MARK, '').trimStart();
  if (CODE_COMMENT.test(text)) return LOOK.code;
  if (COMMENT.test(text)) return LOOK.comment;
  if (isRecord(text)) return LOOK.data;
  const bare = text.replaceAll(URL, ' ').replaceAll(MENTION, ' name ');
  const prose = bare.replaceAll(INLINE_CODE, ' code ');
  const words = countWords(prose);
  const isSentence = isMostly(words, 4, 0.7) || isMostly(words, 8, 0.5);
  const score = isSentence ? scoreOfSentence(prose) : scoreOf(bare);
  if (isMember(text)) return LOOK.data;
  if (isSentence && !isStarred && score < CODE_SCORE && SENTENCE_END.test(text)) return LOOK.prose;
  if (isKeyed(text)) return score >= KEYED_CODE_SCORE ? LOOK.code : LOOK.data;
  if (score >= CODE_SCORE) return LOOK.code;
  if (isStarred) return LOOK.comment;
  if (isHeader(text) || (!isSentence && isSeparated(text))) return LOOK.data;
  if (words.all >= 4 && words.plain < words.all / 3) return LOOK.figures;
  return isMostly(words, 3, 0.6) ? LOOK.prose : LOOK.unclear;
};

/** Letters, digits and the marks of sentences; no word in capitals first, as SQL has. */
const PLAIN_LINE =
  /^(?![A-Z]{2})[^\s{}()[\]<>=;:|\\$_`*+~^&%/\t"-]*(?: [^\s{}()[\]<>=;:|\\$_`*+~^&%/\t"-]+)*$/;
/** Without one of these, a sentence scores too little to be code. */
const MARKS_OF_CODE = new RegExp(
  [
    String.raw`[{}=<>|\\$_\x60[\]+*&^%~]|\(\)|::|->|[;(]$|\);$|\)\.|\?\.\w|["']\)|\w\(["']`,
    String.raw`:\s*["']|@\w+\(|^[A-Z]{2}|^(?:at|def|class|diff|File) `,
  ].join('|'),
);
const SENTENCE_END = /\p{L}[.!?]$/u;
const HAS_LETTER = /\p{L}/u;
const URL = /\(?https?:\/\/\S+/g;
const INLINE_CODE = /`[^`]+`/g;
/** Handles and hashtags, which may have underscores and humps. */
const MENTION = /(?<=[\s.(])[@#]\w{3,}(?![\w(/.])/g;
const DIFF_MARK = /^[+-](?=\S|\s{2})/;
const CODE_COMMENT = /^(?:\/\/|\/\*|\*\/|<!--|#!)/;
/** Marks of comments that Markdown has too, for headings and lists. */
const COMMENT = /^(?:\*(?:\s|$)|#+(?:\s|$)|--(?:\s|$)|;;?\s|%\s|"""|'''|\(\*|\{-|REM\b|dnl\b)/;

const scoreOfSentence = (text: string): number =>
  MARKS_OF_CODE.test(text) ? scoreOf(text) - SENTENCE_SCORE : 0;

/** How much of a line is as code has it. */
const scoreOf = (text: string): number =>
  2 * count(CODE_PAIRS, text, 3) +
  count(IDENTIFIERS, text, 2) +
  (CODE_END.test(text) ? 2 : 0) +
  (CODE_START.test(text) ? 2 : 0) +
  (CODE_ALONE.test(text) ? 5 : 0);

/** How often `pattern`, which is global, occurs; at most `most` times. */
const count = (pattern: RegExp, text: string, most: number): number => {
  pattern.lastIndex = 0;
  let found = 0;
  while (found < most && pattern.test(text)) found++;
  return found;
};

/** The parts of a line between spaces, and how many of them are words as prose has them. */
type Words = { plain: number; all: number };

const countWords = (text: string): Words => {
  const parts = text.split(/\s+/);
  return { all: parts.length, plain: parts.filter((part) => PLAIN.test(part)).length };
};

const PLAIN =
  /^["'“‘«([*_]{0,2}[\p{L}\p{M}][\p{L}\p{M}'’.-]*["'”’»)\]*_]{0,2}[.,;:!?…]{0,3}["'”’»)]?$/u;

const isMostly = ({ plain, all }: Words, least: number, part: number): boolean =>
  plain >= least && plain >= all * part;
