import { availableParallelism, loadavg } from 'node:os';
import { CannotMeasure, RowsFailed } from '../../bench.ts';
import type { BenchContext } from '../../bench.ts';
import { printTable } from '../../report/print-report.ts';
import { readNewestResult } from '../../report/result-file.ts';
import type { RawRow } from '../../report/summarize-rows.ts';
import { MAIN_LOADS, planRows } from '../gateway-loads.ts';
import { measureSystems } from '../measure-systems.ts';
import { judgeMultiples, readMultiples } from './judge-multiples.ts';

/** Load average per core above which other work disturbs the rows. */
const QUIET_LOAD = 0.5;

type GatewayResult = { date: string; rows: RawRow[] };

/**
 * Measures the main loads through the references and Witan, and compares the CPU in multiples of
 * floor-work with the newest result. Throws RowsFailed with the rows that got worse.
 */
export const runGuard = async (context: BenchContext): Promise<void> => {
  const result = (await readNewestResult('gateway')) as GatewayResult | undefined;
  if (!result?.rows.some(({ system }) => system === 'floor-work')) {
    throw new CannotMeasure('The newest result of the gateway has no multiples of floor-work.');
  }
  const load = loadavg()[0]!;
  if (load > QUIET_LOAD * availableParallelism()) {
    context.log(`load average ${load.toFixed(1)}: rows may seem worse, because of other work`);
  }
  const plannedRows = planRows({ loads: MAIN_LOADS, inFlight: undefined });
  const { rows } = await measureSystems(plannedRows, { ...context, hasOthers: false });
  const multiples = readMultiples(rows);
  const judged = judgeMultiples(readMultiples(result.rows), multiples);
  if (judged.length < multiples.length) {
    throw new CannotMeasure('The newest result of the gateway lacks rows that the guard measures.');
  }
  printTable(
    `gateway: CPU in multiples of floor-work, before: ${result.date.slice(0, 10)}`,
    ['row', 'before', 'now', 'bound', ''],
    judged.map(({ row, before, now, bound, isWorse }) => [
      row,
      ...[before, now, bound].map((one) => one.toFixed(2)),
      isWorse ? 'WORSE' : 'ok',
    ]),
  );
  const worse = judged.filter(({ isWorse }) => isWorse).map(({ row }) => row);
  if (worse.length > 0) throw new RowsFailed(`Rows that got worse:\n  ${worse.join('\n  ')}`);
};
