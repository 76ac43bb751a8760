/** One of some words. */
const oneOf = (words: string): string => `(?:${words.trim().replaceAll(/\s+/g, '|')})`;

const DECLARES = oneOf(
  `class struct enum interface trait impl module namespace package object record protocol type
   union`,
);
const MODIFIES = oneOf(
  `public private protected static final abstract override readonly virtual inline extern unsafe
   pub internal sealed lateinit suspend`,
);
const EXPORTED = oneOf('type default const function class async static declare interface enum');
const BRANCHES = oneOf('if while for switch catch elif elsif foreach until unless with match');
const ENDS = oneOf(
  `return break continue pass else try do finally end fi done esac default begin then null true
   false None nil self this`,
);
const SENDS = oneOf('return throw yield await raise assert del goto defer echo puts print printf');
const SQL_WORDS = oneOf(
  `SELECT UPDATE CREATE ALTER DROP FROM WHERE JOIN HAVING LIMIT VALUES SET UNION GRANT REVOKE
   COMMIT RETURNING REFERENCES CONSTRAINT AND OR CASE WHEN DECLARE PERFORM RAISE`,
);
const IMAGE_WORDS = oneOf(
  'FROM RUN COPY ADD ENTRYPOINT CMD WORKDIR ENV EXPOSE ARG LABEL USER VOLUME HEALTHCHECK SHELL',
);
const COMMANDS = oneOf(
  `sudo npm npx yarn pnpm pip3? git docker kubectl curl wget cd ls mkdir rm cp mv cat grep sed awk
   export source chmod make cargo go python3? node brew apt(?:-get)?`,
);
const SUBCOMMANDS = oneOf('install add run get clone commit push pull init build test apply exec');

/** How lines of code begin, in the languages that prompts hold most of. */
export const CODE_START = new RegExp(
  `^(?:${[
    String.raw`(?:const|let|var|val)\s+[\w$[{(]`,
    String.raw`(?:export|import|declare)\s+(?:[{*"'(]|${EXPORTED}\b|[\w.]+;?$|[\w.$]+ (?:as|from)\b)`,
    String.raw`from\s+[\w.]+\s+import\b`,
    String.raw`(?:async\s+)?(?:def|func|fn|fun|function|sub)\s*[\w*]*\s*[(<\w]`,
    String.raw`${DECLARES}\s+[\w.<>]+\s*(?:[{(:;=<]|extends\b|implements\b|for\b|where\b|$)`,
    String.raw`${MODIFIES}\b.*[\w>\])](?:[({;=]|\s\w+[;(])`,
    String.raw`${BRANCHES}\b.*[({:]\s*(?:#.*|//.*)?$`,
    String.raw`${BRANCHES}\s*\(`,
    String.raw`${SENDS}\b(?:\s*[\w.$!*&"'([{-]+)?\s*[;([{.,=<>+*/?:-]`,
    String.raw`${ENDS}\s*[:;{]?$`,
    String.raw`case\s+\S+\s*:`,
    String.raw`#\s*(?:include|define|ifdef|ifndef|endif|if|elif|else|pragma|undef|error)\b`,
    String.raw`#!|@[A-Za-z_][\w.]*(?:\(|$)|#\[`,
    String.raw`${SQL_WORDS}\b`,
    String.raw`${IMAGE_WORDS}\s+\S`,
    String.raw`(?:\$|>>>|>|%|#)\s+(?:[a-z][\w.-]*|\.{0,2}/\S+)(?:\s+[\w./@-]+)*\s*$`,
    String.raw`${COMMANDS}\s+(?:-{1,2}\w|[\w@./~-]+$|\w+ -{1,2}\w|${SUBCOMMANDS}\b)`,
    String.raw`(?:index [0-9a-f]{6,}|\+\+\+ |--- [ab/]|Index: |rename |similarity index)`,
    String.raw`(?:Traceback|Caused by: [\w.]+|goroutine \d|panic: |\^+$|thread '|\d+: 0x)`,
    String.raw`<!DOCTYPE|<\?xml`,
    String.raw`[.#@]?[\w-]+(?:[\s>+~,:.#]+[\w-]+)*\s*\{\s*$`,
    String.raw`[})\]]`,
    String.raw`[\w.$]+\s*\([^)]*\)\s*[;{]?\s*$`,
    String.raw`\w[\w.]*\s*(?:<[^>]*>)?\s+\w+\s*(?:=|;$|\[)`,
    String.raw`[A-Za-z_][\w.-]*:\s*[|>&]\s*$`,
    String.raw`&[a-z]|\||\.[a-z]\w*\(|\?\s|:\s\S+;$|@[a-z]\w*\s*[{[]`,
  ].join('|')})`,
);

/** Lines that are nothing but code, whatever words they hold. */
export const CODE_ALONE = new RegExp(
  [
    String.raw`^(?:SELECT\s.*\sFROM|INSERT INTO|DELETE FROM|ALTER TABLE|(?:LEFT|INNER) JOIN)\s`,
    String.raw`^(?:GROUP|ORDER) BY\s|^(?:PRIMARY|FOREIGN) KEY\b`,
    String.raw`^CREATE (?:OR REPLACE )?(?:TABLE|INDEX|VIEW|FUNCTION|SCHEMA|TYPE|UNIQUE)\b`,
    String.raw`^(?:diff --git|@@ -\d|at\s+[\w.$<>/[\] ]+\s?\(\S+:\d|File ".*", line \d)`,
    String.raw`^(?:export|import|const|func|fn|impl|struct|enum|${MODIFIES})\b.*[{;]$`,
    String.raw`^(?:def|class)\s.*:$`,
    String.raw`[\w)>]\s*\{$`,
  ].join('|'),
);

/** Pairs of marks that only code has. */
export const CODE_PAIRS = new RegExp(
  [
    String.raw`=>|[=!<>]==?|&&|\|\||::|->|\+\+|[+\-*/|&^%]=|:=|\\n`,
    String.raw`\(\)|\);$|\{\}|\[\]|\$\{|\{\{|\{%|<%|#\{|@\w+\(`,
    String.raw`\w\(["'\x60]|["'\x60]\)|=["'\x60\w[{(]|\w\[[\w"']|\]\.|\)\.|\w\?\.\w`,
    String.raw`:\s*["'\x60][^"'\x60]*["'\x60],?$`,
  ].join('|'),
  'g',
);

/** Words with a mark or a hump in them, calls and paths. */
export const IDENTIFIERS = new RegExp(
  [
    String.raw`[\p{L}\d]_[\p{L}\d]|(?<!\p{L})[a-z]+[A-Z][a-z]|\w\.[a-z]\w*[.(]`,
    String.raw`\w\(|\w/\w+/|\$[a-z_]|\w--\w|\w::`,
  ].join('|'),
  'gu',
);

/** How lines of code end; a sad face ends tweets. */
export const CODE_END = /(?:[{};[\\]|(?<![:;=]['-]?)\()$/;
