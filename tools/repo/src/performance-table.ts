import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  toFloorTable,
  toMultiplesTable,
  toObjectsTable,
  toStagesTable,
  toWalkTable,
} from './call-tables.ts';
import type { GatewayResult, Walk } from './call-tables.ts';
import { isSamePage, replaceSection, type GeneratedSection } from './generated-section.ts';
import { toChainTable, toCoresTable } from './scale-table.ts';
import type { MeasuredRow } from './scale-table.ts';
import { openTree, type Tree } from './tree.ts';

type Result = GatewayResult & {
  benchmark: string;
  date: string;
  aims: { name: string; unit: string; aim: string; measured: number; met: boolean }[];
  summary: MeasuredRow[];
};

type Figures = { results: readonly Result[]; gateway: Result; walk: Walk };

const WALK = 'e2e/completion-walk.json';

/** The generated sections of each page, each with the function that renders it. */
const PAGES: Readonly<Record<string, Readonly<Record<string, (figures: Figures) => string>>>> = {
  'docs/performance.md': {
    measurements: ({ results }) => toTable(results),
    cores: ({ gateway }) => toCoresTable(gateway.summary),
    chains: ({ results }) => toChainTable(findResult(results, 'ledger').summary),
  },
  'docs/where-the-time-goes.md': {
    multiples: ({ gateway }) => toMultiplesTable(gateway),
    stages: ({ gateway }) => toStagesTable(gateway),
    floor: ({ gateway }) => toFloorTable(gateway),
  },
  'docs/life-of-a-completion.md': {
    walk: ({ walk }) => toWalkTable(walk),
    objects: ({ gateway }) => toObjectsTable(gateway),
  },
};

const RESULT = /^benchmarks\/results\/[\w-]+\.json$/;

/** Returns the pages that the tree has, by path, with their figures of now. */
export const renderPages = (tree: Tree): Map<string, string> => {
  const pages = Object.entries(PAGES).filter(([page]) => tree.paths.includes(page));
  if (pages.length === 0) return new Map();
  const results = newestResults(tree);
  const walk = JSON.parse(tree.read(WALK)) as Walk;
  const figures = { results, gateway: findResult(results, 'gateway'), walk };
  return new Map(
    pages.map(([page, sections]) => [
      page,
      Object.entries(sections).reduce((text, [name, render]) => {
        const section: GeneratedSection = {
          page,
          begin: `<!-- ${name}: written by \`npm run performance-table\` -->`,
          end: `<!-- end of ${name} -->`,
        };
        return replaceSection(section, text, render(figures));
      }, tree.read(page)),
    ]),
  );
};

const findResult = (results: readonly Result[], name: string): Result => {
  const found = results.find(({ benchmark }) => benchmark === name);
  if (found === undefined) throw new Error(`There is no result of the benchmark ${name}.`);
  return found;
};

/** Returns the pages that show other figures than the results. */
export const findStalePages = (tree: Tree): string[] =>
  [...renderPages(tree)]
    .filter(([page, text]) => !isSamePage(text, tree.read(page)))
    .map(([page]) => page);

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
  for (const [page, text] of renderPages(openTree(root))) writeFileSync(`${root}${page}`, text);
}
