import { CERTAIN_CODE, CODE_END, CODE_OPERATORS, CODE_START, IDENTIFIERS } from './code-forms.ts';

export const LINE_KIND = {
  prose: 0,
  /** Key-value pairs, tables, log lines and markup. Values may be names; keys are not. */
  data: 1,
  /** Source code, including comments. */
  code: 2,
} as const;

/**
 * Form of a line without regard to its neighbors. `findLines` derives the kind from the form and
 * the neighboring lines.
 */
export const LINE_FORM = { ...LINE_KIND, comment: 3, unclear: 4, blank: 5, numeric: 6 } as const;

/** Maximum length of the part of a line that is classified, to bound the running time. */
const CHARS_MAX = 400;

/**
 * Minimum score at which a line counts as code. Key-value pairs are usually data, so they need
 * `KEYED_CODE_SCORE`.
 */
const CODE_SCORE = 2;
const KEYED_CODE_SCORE = 4;
const SENTENCE_SCORE = 3;

export const lineFormOf = (line: string): number => {
  const trimmed = line.slice(0, CHARS_MAX).trim();
  if (PLAIN_LINE.test(trimmed) && isMostlyWords(countWords(trimmed), 4, 0.7))
    return LINE_FORM.prose;
  if (!HAS_LETTER.test(trimmed)) return LINE_FORM.blank;
  const hasAsterisk = /^\*\s/.test(trimmed);
  const text = hasAsterisk
    ? trimmed.slice(1).trimStart()
    : trimmed.replace(DIFF_MARK, '').trimStart();
  if (CODE_COMMENT.test(text)) return LINE_FORM.code;
  if (COMMENT.test(text)) return LINE_FORM.comment;
  if (isLogOrTableRow(text)) return LINE_FORM.data;
  const withoutLinks = text.replaceAll(URL, ' ').replaceAll(MENTION, ' name ');
  const prose = withoutLinks.replaceAll(INLINE_CODE, ' code ');
  const words = countWords(prose);
  const isSentence = isMostlyWords(words, 4, 0.7) || isMostlyWords(words, 8, 0.5);
  const score = isSentence ? scoreOfSentence(prose) : scoreOf(withoutLinks);
  if (isQuotedOrMarkup(text)) return LINE_FORM.data;
  if (isSentence && !hasAsterisk && score < CODE_SCORE && SENTENCE_END.test(text))
    return LINE_FORM.prose;
  if (isKeyValue(text)) return score >= KEYED_CODE_SCORE ? LINE_FORM.code : LINE_FORM.data;
  if (score >= CODE_SCORE) return LINE_FORM.code;
  if (hasAsterisk) return LINE_FORM.comment;
  if (isBlockKey(text) || (!isSentence && isDelimited(text))) return LINE_FORM.data;
  if (words.total >= 4 && words.plain < words.total / 3) return LINE_FORM.numeric;
  return isMostlyWords(words, 3, 0.6) ? LINE_FORM.prose : LINE_FORM.unclear;
};

/**
 * Matches a line that has no characters typical of code. Excludes lines that begin with two
 * capitals, such as SQL.
 */
const PLAIN_LINE =
  /^(?![A-Z]{2})[^\s{}()[\]<>=;:|\\$_`*+~^&%/\t"-]*(?: [^\s{}()[\]<>=;:|\\$_`*+~^&%/\t"-]+)*$/;
const CODE_MARKS = new RegExp(
  [
    String.raw`[{}=<>|\\$_\x60[\]+*&^%~]|\(\)|::|->|[;(]$|\);$|\)\.|\?\.\w|["']\)|\w\(["']`,
    String.raw`:\s*["']|@\w+\(|^[A-Z]{2}|^(?:at|def|class|diff|File) `,
  ].join('|'),
);
const SENTENCE_END = /\p{L}[.!?]$/u;
const HAS_LETTER = /\p{L}/u;
const URL = /\(?https?:\/\/\S+/g;
const INLINE_CODE = /`[^`]+`/g;
/** Matches handles and hashtags, which may look like identifiers in snake case or camel case. */
const MENTION = /(?<=[\s.(])[@#]\w{3,}(?![\w(/.])/g;
const DIFF_MARK = /^[+-](?=\S|\s{2})/;
const CODE_COMMENT = /^(?:\/\/|\/\*|\*\/|<!--|#!)/;
/**
 * Matches the start of a comment in code. Some of these marks also start a heading or a list item
 * in Markdown.
 */
const COMMENT = /^(?:\*(?:\s|$)|#+(?:\s|$)|--(?:\s|$)|;;?\s|%\s|"""|'''|\(\*|\{-|REM\b|dnl\b)/;

const scoreOfSentence = (text: string): number =>
  CODE_MARKS.test(text) ? scoreOf(text) - SENTENCE_SCORE : 0;

const scoreOf = (text: string): number =>
  2 * count(CODE_OPERATORS, text, 3) +
  count(IDENTIFIERS, text, 2) +
  (CODE_END.test(text) ? 2 : 0) +
  (CODE_START.test(text) ? 2 : 0) +
  (CERTAIN_CODE.test(text) ? 5 : 0);

const count = (pattern: RegExp, text: string, limit: number): number => {
  pattern.lastIndex = 0;
  let found = 0;
  while (found < limit && pattern.test(text)) found++;
  return found;
};

type WordCounts = { plain: number; total: number };

const countWords = (text: string): WordCounts => {
  const parts = text.split(/\s+/);
  return { total: parts.length, plain: parts.filter((part) => PLAIN_WORD.test(part)).length };
};

const PLAIN_WORD =
  /^["'“‘«([*_]{0,2}[\p{L}\p{M}][\p{L}\p{M}'’.-]*["'”’»)\]*_]{0,2}[.,;:!?…]{0,3}["'”’»)]?$/u;

const isMostlyWords = ({ plain, total }: WordCounts, min: number, share: number): boolean =>
  plain >= min && plain >= total * share;

const KEY = String.raw`[\p{L}_$@.][\p{L}\p{M}\p{N}_.$@/-]*(?:[ ][\p{L}\p{N}_./()-]+){0,3}`;

const KEY_VALUE = new RegExp(
  String.raw`^(?:[-*+•]\s+)?(?:["'\x60][^"'\x60]{1,60}["'\x60]|${KEY})\s*(?::(?!//)|=>?)\s*\S`,
  'u',
);

/**
 * Matches the first line of a block of code, such as `class A:`, which looks like a key-value pair.
 */
const OPENS_BLOCK = /^(?:class|def|elif|except|lambda|while|struct|enum|interface)\s+\S/;

const DATE = String.raw`\d{4}-\d\d-\d\d[T ]|\d{4}/\d\d/\d\d |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d`;
const LEVEL = String.raw`(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b|(?:ts|time|level|lvl|msg)=`;

const LOG_LINE = new RegExp(String.raw`^[[(<]?(?:${DATE}|\d\d:\d\d:\d\d|${LEVEL})`);

const TABLE_ROW = /^\|.*\|\s*$/;
const MARKUP = /^<\/?[A-Za-z][\w:.-]*(?:\s+[\w:.-]+=["'{]|\s*\/?>)/;
const QUOTED = /^(?:["'][^"']*["']\s*(?::|,?$)|[[{][[{\s]*["'][^"']*["']\s*:)/;

/**
 * Matches a row in which one delimiter occurs at least twice and no white space follows its first
 * occurrence.
 */
const DELIMITED = /^[^\s,;|]*(?:[ ][^\s,;|]+)*([,;|\t])(?!\s)[^,;|\t]*\1/;

const isLogOrTableRow = (line: string): boolean => LOG_LINE.test(line) || TABLE_ROW.test(line);

const isQuotedOrMarkup = (line: string): boolean => QUOTED.test(line) || MARKUP.test(line);

/** Returns true for a key-value pair such as `name: Ann`, and also for an assignment in code. */
const isKeyValue = (line: string): boolean => KEY_VALUE.test(line) && !OPENS_BLOCK.test(line);

const isDelimited = (line: string): boolean => DELIMITED.test(line);

/** Returns true for a lower-case YAML key without a value on its line. */
const isBlockKey = (line: string): boolean => /^[a-z_][\w.-]*:$/.test(line);
