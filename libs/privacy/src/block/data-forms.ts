const WORD_OF_KEY = String.raw`[\p{L}_$@.][\p{L}\p{M}\p{N}_.$@/-]*(?:[ ][\p{L}\p{N}_./()-]+){0,3}`;

/** A key before its value; a mark before the key is of a list. */
const KEYED = new RegExp(
  String.raw`^(?:[-*+•]\s+)?(?:["'\x60][^"'\x60]{1,60}["'\x60]|${WORD_OF_KEY})\s*(?::(?!//)|=>?)\s*\S`,
  'u',
);

/** Python opens blocks by a colon, which is no key's. */
const OPENS_BLOCK = /^(?:class|def|elif|except|lambda|while|struct|enum|interface)\s+\S/;

const DATE = String.raw`\d{4}-\d\d-\d\d[T ]|\d{4}/\d\d/\d\d |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d`;
const LEVEL = String.raw`(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b|(?:ts|time|level|lvl|msg)=`;

/** Lines of logs begin with a time or a level. */
const LOG = new RegExp(String.raw`^[[(<]?(?:${DATE}|\d\d:\d\d:\d\d|${LEVEL})`);

const TABLE_ROW = /^\|.*\|\s*$/;
const MARKUP = /^<\/?[A-Za-z][\w:.-]*(?:\s+[\w:.-]+=["'{]|\s*\/?>)/;
const QUOTED = /^["'][^"']*["']\s*(?::|,?$)/;

/** Cells with the same mark and no space between them. */
const SEPARATED = /^[^\s,;|]*(?:[ ][^\s,;|]+)*([,;|\t])(?!\s)[^,;|\t]*\1/;

/** Lines of logs and rows of Markdown tables. */
export const isRecord = (line: string): boolean => LOG.test(line) || TABLE_ROW.test(line);

/** Strings, members and elements with attributes, as documents of data have them. */
export const isMember = (line: string): boolean => QUOTED.test(line) || MARKUP.test(line);

/** A key with a value, which code has too. */
export const isKeyed = (line: string): boolean => KEYED.test(line) && !OPENS_BLOCK.test(line);

/** A row of CSV or the like. */
export const isSeparated = (line: string): boolean => SEPARATED.test(line);

/** A key above what belongs to it, as YAML has them. */
export const isHeader = (line: string): boolean => /^[a-z_][\w.-]*:$/.test(line);
