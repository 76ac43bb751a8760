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
const QUOTED = /^["'][^"']*["']\s*(?::|,?$)/;

/**
 * Matches a row in which the same delimiter occurs at least twice, first without a space after it.
 */
const DELIMITED = /^[^\s,;|]*(?:[ ][^\s,;|]+)*([,;|\t])(?!\s)[^,;|\t]*\1/;

export const isLogOrTableRow = (line: string): boolean =>
  LOG_LINE.test(line) || TABLE_ROW.test(line);

export const isQuotedOrMarkup = (line: string): boolean => QUOTED.test(line) || MARKUP.test(line);

/** Returns true for a key-value pair such as `name: Ann`, and also for an assignment in code. */
export const isKeyValue = (line: string): boolean =>
  KEY_VALUE.test(line) && !OPENS_BLOCK.test(line);

export const isDelimited = (line: string): boolean => DELIMITED.test(line);

/** Returns true for a YAML key whose value is on the following lines. */
export const isBlockKey = (line: string): boolean => /^[a-z_][\w.-]*:$/.test(line);
