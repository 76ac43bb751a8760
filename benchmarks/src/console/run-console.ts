import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BROWSER_MISSING } from '@witan/e2e/browser';
import { openConsole } from '@witan/e2e/console';
import type { OpenConsole } from '@witan/e2e/console';
import { openTestPostgres } from '@witan/testing';
import { CannotMeasure } from '../bench.ts';
import type { BenchContext, BenchResult } from '../bench.ts';
import { measureRounds } from '../measure-row.ts';
import type { PlannedRow } from '../measure-row.ts';
import { atMost, toTable } from '../report/print-report.ts';
import { medianRows } from '../report/summarize-rows.ts';
import { addCertificates } from './add-certificates.ts';
import { measureFilter, measureScroll, openFullList } from './measure-interaction.ts';
import { measureFirstLoad, measurePage } from './measure-page.ts';

/** Addresses of the pages, each with an element that it has when its content is shown. */
const PAGES: Readonly<Record<string, string>> = {
  '/council': 'main textarea',
  '/agents': 'main h2',
  '/agents/new': 'main input',
  '/simulations': 'main h2',
  '/simulations/new': 'main input',
  '/market': 'main h2',
  '/market/new': 'main input',
  '/calls': 'main tbody tr',
  '/calls/chain': 'main form',
  '/playground': 'main section h3',
  '/usage': 'main figure',
  '/usage/entries': 'main h1',
  '/settings/keys': 'main tbody tr',
  '/settings/webhooks': 'main h2',
  '/settings/tools': 'main h2',
  '/settings/models': 'main h2',
  '/settings/privacy': 'main label',
  '/settings/audit': 'main tbody tr',
  '/settings/appearance': 'main label',
};

/** The figures of one load; each load has some of them. */
type Figures = {
  buildSeconds?: number;
  kilobytes?: number;
  firstPaintMs?: number;
  layoutShift?: number;
  interactionMs?: number;
  medianMs?: number;
};
type ConsoleRow = Figures & { load: string };

const AIMS = {
  buildSeconds: 10,
  kilobytes: 250,
  firstPaintMs: 1_000,
  layoutShift: 0,
  interactionMs: 100,
} as const;

const BUILD = fileURLToPath(new URL('../../../tools/console/src/build.ts', import.meta.url));

/** Measures the console in headless Chromium, with a workspace that has many certificates. */
export const runConsole = async (context: BenchContext): Promise<BenchResult> => {
  if (BROWSER_MISSING !== undefined) throw new CannotMeasure(BROWSER_MISSING);
  const { preset, log, resources } = context;
  const { certificates } = preset.console;
  const postgres = resources.use(await openTestPostgres());
  const opened = resources.use(await openConsole({ postgresUrl: postgres.url }));
  log(`console: making ${certificates} certificates`);
  await addCertificates(opened.system, certificates);
  await opened.signIn();
  const rows = await measureRounds(planRows(opened, certificates), { preset, log });
  const summary = medianRows(rows, ({ load }) => load);
  return {
    config: { certificates, viewport: '1280 x 900' },
    rows,
    summary,
    tables: [toConsoleTable(summary)],
    checks: { rows: `the list has all ${certificates} calls: the run fails where it has not` },
    aims: toAims(summary),
  };
};

const planRows = (opened: OpenConsole, certificates: number): PlannedRow<ConsoleRow>[] => {
  const plan = (load: string, measure: () => Promise<Figures>): PlannedRow<ConsoleRow> => ({
    label: `console, ${load}`,
    measure: async () => ({ load, ...(await measure()) }),
  });
  return [
    plan('build', measureBuild),
    plan('first load', () => measureFirstLoad(opened.system)),
    ...Object.entries(PAGES).map(([path, shown]) =>
      plan(path, () => measurePage(opened, path, shown)),
    ),
    plan('/calls, scrolling', async () => {
      const count = await openFullList(opened);
      if (count !== certificates) throw new Error(`The list has ${count} calls.`);
      return await measureScroll(opened);
    }),
    // The whole list is loaded by the row before.
    plan('/calls, filtering', () => measureFilter(opened)),
  ];
};

const measureBuild = async (): Promise<Figures> => {
  const startedAt = performance.now();
  await promisify(execFile)(process.execPath, [BUILD]);
  return { buildSeconds: (performance.now() - startedAt) / 1_000 };
};

const toConsoleTable = (summary: readonly ConsoleRow[]) =>
  toTable('medians of rounds', summary, [
    ['load', ({ load }) => load],
    ['build s', ({ buildSeconds }) => buildSeconds?.toFixed(1)],
    ['KB sent', ({ kilobytes }) => kilobytes?.toFixed(0)],
    ['first paint ms', ({ firstPaintMs }) => firstPaintMs?.toFixed(0)],
    ['layout shift', ({ layoutShift }) => layoutShift?.toFixed(4)],
    ['longest interaction ms', ({ interactionMs }) => interactionMs?.toFixed(0)],
    ['median interaction ms', ({ medianMs }) => medianMs?.toFixed(0)],
  ]);

/** The aims hold for the worst row of each figure. */
const toAims = (summary: readonly ConsoleRow[]) => {
  const worst = (figure: keyof typeof AIMS): number =>
    Math.max(...summary.map((row) => row[figure] ?? 0));
  return [
    atMost('build of the console', 's', AIMS.buildSeconds, worst('buildSeconds')),
    atMost('first load, compressed', 'KB', AIMS.kilobytes, worst('kilobytes')),
    atMost('first paint, slowest page', 'ms', AIMS.firstPaintMs, worst('firstPaintMs')),
    atMost('layout shift, worst page', '', AIMS.layoutShift, worst('layoutShift')),
    atMost(
      'interaction with 10,000 certificates',
      'ms',
      AIMS.interactionMs,
      worst('interactionMs'),
    ),
  ];
};
