const alternatives = (words: string): string => `(?:${words.trim().replaceAll(/\s+/g, '|')})`;

const DECLARATION_KEYWORDS = alternatives(
  `class struct enum interface trait impl module namespace package object record protocol type
   union`,
);
const MODIFIERS = alternatives(
  `public private protected static final abstract override readonly virtual inline extern unsafe
   pub internal sealed lateinit suspend`,
);
const EXPORTABLE = alternatives(
  'type default const function class async static declare interface enum',
);
const CONTROL_KEYWORDS = alternatives(
  'if while for switch catch elif elsif foreach until unless with match',
);
const STANDALONE_KEYWORDS = alternatives(
  `return break continue pass else try do finally end fi done esac default begin then null true
   false None nil self this`,
);
const STATEMENT_KEYWORDS = alternatives(
  'return throw yield await raise assert del goto defer echo puts print printf',
);
const SQL_KEYWORDS = alternatives(
  `SELECT UPDATE CREATE ALTER DROP FROM WHERE JOIN HAVING LIMIT VALUES SET UNION GRANT REVOKE
   COMMIT RETURNING REFERENCES CONSTRAINT AND OR CASE WHEN DECLARE PERFORM RAISE`,
);
const DOCKERFILE_KEYWORDS = alternatives(
  'FROM RUN COPY ADD ENTRYPOINT CMD WORKDIR ENV EXPOSE ARG LABEL USER VOLUME HEALTHCHECK SHELL',
);
const SHELL_COMMANDS = alternatives(
  `sudo npm npx yarn pnpm pip3? git docker kubectl curl wget cd ls mkdir rm cp mv cat grep sed awk
   export source chmod make cargo go python3? node brew apt(?:-get)?`,
);
const SUBCOMMANDS = alternatives(
  'install add run get clone commit push pull init build test apply exec',
);

export const CODE_START = new RegExp(
  `^(?:${[
    String.raw`(?:const|let|var|val)\s+[\w$[{(]`,
    String.raw`(?:export|import|declare)\s+(?:[{*"'(]|${EXPORTABLE}\b|[\w.]+;?$|[\w.$]+ (?:as|from)\b)`,
    String.raw`from\s+[\w.]+\s+import\b`,
    String.raw`(?:async\s+)?(?:def|func|fn|fun|function|sub)\s*[\w*]*\s*[(<\w]`,
    String.raw`${DECLARATION_KEYWORDS}\s+[\w.<>]+\s*(?:[{(:;=<]|extends\b|implements\b|for\b|where\b|$)`,
    String.raw`${MODIFIERS}\b.*[\w>\])](?:[({;=]|\s\w+[;(])`,
    String.raw`${CONTROL_KEYWORDS}\b.*[({:]\s*(?:#.*|//.*)?$`,
    String.raw`${CONTROL_KEYWORDS}\s*\(`,
    String.raw`${STATEMENT_KEYWORDS}\b(?:\s*[\w.$!*&"'([{-]+)?\s*[;([{.,=<>+*/?:-]`,
    String.raw`${STANDALONE_KEYWORDS}\s*[:;{]?$`,
    String.raw`case\s+\S+\s*:`,
    String.raw`#\s*(?:include|define|ifdef|ifndef|endif|if|elif|else|pragma|undef|error)\b`,
    String.raw`#!|@[A-Za-z_][\w.]*(?:\(|$)|#\[`,
    String.raw`${SQL_KEYWORDS}\b`,
    String.raw`${DOCKERFILE_KEYWORDS}\s+\S`,
    String.raw`(?:\$|>>>|>|%|#)\s+(?:[a-z][\w.-]*|\.{0,2}/\S+)(?:\s+[\w./@-]+)*\s*$`,
    String.raw`${SHELL_COMMANDS}\s+(?:-{1,2}\w|[\w@./~-]+$|\w+ -{1,2}\w|${SUBCOMMANDS}\b)`,
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

export const CERTAIN_CODE = new RegExp(
  [
    String.raw`^(?:SELECT\s.*\sFROM|INSERT INTO|DELETE FROM|ALTER TABLE|(?:LEFT|INNER) JOIN)\s`,
    String.raw`^(?:GROUP|ORDER) BY\s|^(?:PRIMARY|FOREIGN) KEY\b`,
    String.raw`^CREATE (?:OR REPLACE )?(?:TABLE|INDEX|VIEW|FUNCTION|SCHEMA|TYPE|UNIQUE)\b`,
    String.raw`^(?:diff --git|@@ -\d|at\s+[\w.$<>/[\] ]+\s?\(\S+:\d|File ".*", line \d)`,
    String.raw`^(?:export|import|const|func|fn|impl|struct|enum|${MODIFIERS})\b.*[{;]$`,
    String.raw`^(?:def|class)\s.*:$`,
    String.raw`[\w)>]\s*\{$`,
  ].join('|'),
);

export const CODE_OPERATORS = new RegExp(
  [
    String.raw`=>|[=!<>]==?|&&|\|\||::|->|\+\+|[+\-*/|&^%]=|:=|\\n`,
    String.raw`\(\)|\);$|\{\}|\[\]|\$\{|\{\{|\{%|<%|#\{|@\w+\(`,
    String.raw`\w\(["'\x60]|["'\x60]\)|=["'\x60\w[{(]|\w\[[\w"']|\]\.|\)\.|\w\?\.\w`,
    String.raw`:\s*["'\x60][^"'\x60]*["'\x60],?$`,
  ].join('|'),
  'g',
);

export const IDENTIFIERS = new RegExp(
  [
    String.raw`[\p{L}\d]_[\p{L}\d]|(?<!\p{L})[a-z]+[A-Z][a-z]|\w\.[a-z]\w*[.(]`,
    String.raw`\w\(|\w/\w+/|\$[a-z_]|\w--\w|\w::`,
  ].join('|'),
  'gu',
);

/** Matches the end of a line of code, such as `{` or `;`, but not the emoticon `:(`. */
export const CODE_END = /(?:[{};[\\]|(?<![:;=]['-]?)\()$/;
