import type { ComparedRow } from '../report/print-report.ts';
import { findRow } from '../report/summarize-rows.ts';
import type { SummaryRow } from '../report/summarize-rows.ts';

/**
 * Adds ratios to every row: to both references with the same load; for a metered system also to the
 * unmetered system; for a paced load also to the provider without a system in between. Also adds
 * the number of cores that the provider keeps busy.
 */
export const compareSystems = (rows: readonly SummaryRow[]): ComparedRow[] =>
  rows.map((row) => {
    const pipe = findRow(rows, { ...row, system: 'pipe' });
    const floorWork = findRow(rows, { ...row, system: 'floor-work' });
    const find = (name: string): SummaryRow | undefined =>
      rows.find(
        ({ system, load, inFlight }) =>
          system === name && load === row.load && inFlight === row.inFlight,
      );
    const direct = find('direct');
    const [unmeteredName, metered] = row.system.split(', ');
    const unmetered = metered ? find(unmeteredName!) : undefined;
    const ratios: Record<string, number> = {
      'CPU of floor-work': row.cpuPer1000 / floorWork.cpuPer1000,
      'CPU of pipe': row.cpuPer1000 / pipe.cpuPer1000,
      '/s of pipe': row.perSecond / pipe.perSecond,
      'p50 +ms': row.p50 - pipe.p50,
      'first byte +ms': row.firstByteP50! - pipe.firstByteP50!,
      ...(direct ? { '/s of direct': row.perSecond / direct.perSecond } : {}),
      ...(unmetered ? { 'CPU of unmetered': row.cpuPer1000 / unmetered.cpuPer1000 } : {}),
      'provider cores': toCores(row.bystanderCpuPer1000By['provider'] ?? 0, row.perSecond),
    };
    return { ...row, ratios };
  });

/**
 * Returns the mean number of cores that a process keeps busy, from its CPU seconds per 1,000 calls
 * and the rate.
 */
export const toCores = (cpuPer1000: number, perSecond: number): number =>
  (cpuPer1000 * perSecond) / 1_000;
