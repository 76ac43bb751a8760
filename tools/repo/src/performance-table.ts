import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isSamePage, replaceSection, type GeneratedSection } from './generated-section.ts';
import { toChainTable, toCoresTable } from './scale-table.ts';
import type { MeasuredRow } from './scale-table.ts';
import { openTree, type Tree } from './tree.ts';

const PAGE = 'docs/performance.md';
const toSection = (name: string): GeneratedSection => ({
  page: PAGE,
  begin: `<!-- ${name}: written by \`npm run performance-table\` -->`,
  end: `<!-- end of ${name} -->`,
});

/** The generated sections of the page, each with the function that renders it. */
const SECTIONS: readonly [GeneratedSection, (results: readonly Result[]) => string][] = [
  [toSection('measurements'), (results) => toTable(results)],
  [toSection('cores'), (results) => toCoresTable(rowsOf(results, 'gateway'))],
  [toSection('chains'), (results) => toChainTable(rowsOf(results, 'ledger'))],
];

const RESULT = /^benchmarks\/results\/[\w-]+\.json$/;

type Result = {
  benchmark: string;
  date: string;
  aims: { name: string; unit: string; aim: string; measured: number; met: boolean }[];
  summary: MeasuredRow[];
};

export const renderPerformance = (tree: Tree, page: string): string => {
  const results = newestResults(tree);
  return SECTIONS.reduce(
    (text, [section, render]) => replaceSection(section, text, render(results)),
    page,
  );
};

const rowsOf = (results: readonly Result[], benchmark: string): MeasuredRow[] =>
  results.find((result) => result.benchmark === benchmark)?.summary ?? [];

export const isPerformancePageCurrent = (tree: Tree): boolean => {
  const page = tree.read(PAGE);
  return isSamePage(renderPerformance(tree, page), page);
};

const newestResults = (tree: Tree): Result[] => {
  const newest = new Map<string, Result>();
  for (const path of tree.paths.filter((one) => RESULT.test(one))) {
    const result = JSON.parse(tree.read(path)) as Result;
    const other = newest.get(result.benchmark);
    if (other === undefined || other.date < result.date) newest.set(result.benchmark, result);
  }
  return [...newest.values()].toSorted((a, b) => (a.benchmark < b.benchmark ? -1 : 1));
};

const toTable = (results: readonly Result[]): string =>
  [
    '| benchmark | figure | unit | aim | measured | met | date |',
    '| - | - | - | - | - | - | - |',
    ...results.flatMap(({ benchmark, date, aims }) =>
      aims.map(({ name, unit, aim, measured, met }) => {
        const figure = Number(measured.toPrecision(3));
        const cells = [benchmark, name, unit, aim, figure, met ? 'yes' : 'no', date.slice(0, 10)];
        return `| ${cells.join(' | ')} |`;
      }),
    ),
  ].join('\n');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const path = `${root}${PAGE}`;
  writeFileSync(path, renderPerformance(openTree(root), readFileSync(path, 'utf8')));
}
