import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isSamePage, replaceSection } from './generated-section.ts';
import { syntaxOf } from './syntax.ts';
import { isCode, isTest, openTree, type Tree } from './tree.ts';

const SECTION = {
  page: 'docs/telemetry.md',
  begin: '<!-- log events: written by `npm run log-events` -->',
  end: '<!-- end of log events -->',
};

export type LoggedEvent = {
  path: string;
  line: number;
  level: string;
  event: string;
  message: string;
};

/** Matches the code whose log events are listed: apps, libraries and `npm start`. */
const LOGGING = /^((apps|libs)\/[\w-]+|tools\/stack)\/src\//;

export const findLogEvents = (tree: Tree): LoggedEvent[] =>
  tree.paths
    .filter((path) => LOGGING.test(path) && isCode(path) && !isTest(path))
    .flatMap((path) => syntaxOf(tree, path).logCalls.map((call) => ({ path, ...call })));

export const renderLogEvents = (tree: Tree, page: string): string =>
  replaceSection(SECTION, page, toTable(findLogEvents(tree)));

export const isLogPageCurrent = (tree: Tree): boolean => {
  const page = tree.read(SECTION.page);
  return isSamePage(renderLogEvents(tree, page), page);
};

const toTable = (events: readonly LoggedEvent[]): string => {
  const rows = new Map<string, { levels: Set<string>; messages: Set<string>; by: Set<string> }>();
  for (const { event, level, message, path } of events) {
    const row = rows.get(event) ?? { levels: new Set(), messages: new Set(), by: new Set() };
    row.levels.add(level);
    row.messages.add(message);
    row.by.add(path.split('/')[1]!);
    rows.set(event, row);
  }
  const lines = [...rows]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([event, { levels, messages, by }]) => {
      return `| \`${event}\` | ${join(levels)} | ${join(by)} | ${join(messages)} |`;
    });
  return ['| event | level | logged by | message |', '| - | - | - | - |', ...lines].join('\n');
};

const join = (items: Iterable<string>): string => [...items].filter(Boolean).join('; ');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const tree = openTree(root);
  const path = `${root}${SECTION.page}`;
  writeFileSync(path, renderLogEvents(tree, readFileSync(path, 'utf8')));
}
