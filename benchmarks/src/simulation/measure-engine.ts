import type { BenchContext, BenchResult } from '../bench.ts';
import { measureRounds } from '../measure-row.ts';
import { openProgram } from '../program/open-program.ts';
import { atLeast, atMost } from '../report/print-report.ts';
import type { Aim, Table } from '../report/print-report.ts';
import { medianRows } from '../report/summarize-rows.ts';
import { FORECAST, PLAY_LOADS } from './play-loads.ts';
import type { PlayLoad, PlayOrder, PlayResult } from './play-loads.ts';

const SECTORS = ['saas', 'retail', 'manufacturing', 'services'] as const;
/** Duration of the warm-up as a share of the measured time. */
const WARM_UP_SHARE = 0.5;
const STEPS_AIM = 2_000_000;
const FORECAST_AIM_MS = 50;

type PlayRow = PlayOrder & { round: number; perSecond: number; cpuPerUnitUs: number };
type PlaySummary = Omit<PlayRow, 'round'>;

/** Measures the engine alone, on one thread, without services, database and models. */
export const measureEngine = async ({
  preset,
  stateDir,
  resources,
  log,
}: Pick<BenchContext, 'preset' | 'stateDir' | 'resources' | 'log'>): Promise<BenchResult> => {
  const ownResources = resources.use(new AsyncDisposableStack());
  const loop = await openProgram<object, PlayOrder, PlayResult>(
    { file: 'simulation/playing-loop.ts', stateDir },
    ownResources,
  );
  const { measureMs } = preset.simulation;
  const plan = PLAY_LOADS.flatMap((load) =>
    SECTORS.map((sector) => ({
      label: `engine, ${load}, ${sector}`,
      measure: async (): Promise<PlaySummary> => {
        await loop.execute({ load, sector, measureMs: measureMs * WARM_UP_SHARE });
        const { units, elapsedMs, cpuMs } = await loop.execute({ load, sector, measureMs });
        const perSecond = (units / elapsedMs) * 1_000;
        return { load, sector, measureMs, perSecond, cpuPerUnitUs: (cpuMs / units) * 1_000 };
      },
    })),
  );
  const rows = await measureRounds(plan, { preset, log });
  await ownResources.disposeAsync();
  const summary = summarize(rows);
  return {
    config: { forecast: FORECAST, sectors: SECTORS },
    rows,
    summary,
    tables: [toTable(summary)],
    checks: { invariants: 'held in every quarter: the engine throws where one does not' },
    aims: judge(summary),
  };
};

const summarize = (rows: readonly PlayRow[]): PlaySummary[] =>
  medianRows(rows, ({ load, sector }) => `${load} ${sector}`);

const toTable = (rows: readonly PlaySummary[]): Table => ({
  title: 'the engine on one thread; medians of rounds',
  headings: ['load', 'sector', 'a second', 'ms each', 'CPU µs each'],
  rows: rows.map(({ load, sector, perSecond, cpuPerUnitUs }) => [
    load,
    sector,
    perSecond.toFixed(perSecond < 1_000 ? 1 : 0),
    (1_000 / perSecond).toFixed(4),
    cpuPerUnitUs.toFixed(2),
  ]),
});

/** Compares the figures of the slowest sector with their aims. */
const judge = (rows: readonly PlaySummary[]): Aim[] => {
  const slowest = (load: PlayLoad): number =>
    Math.min(...rows.filter((row) => row.load === load).map(({ perSecond }) => perSecond));
  return [
    atLeast('quarter-steps on one thread', '/s', STEPS_AIM, slowest('steps')),
    atMost('forecast of 1,000 x 20 quarters', 'ms', FORECAST_AIM_MS, 1_000 / slowest('forecast')),
  ];
};
