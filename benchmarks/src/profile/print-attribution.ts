import { printTable } from '../report/print-table.ts';
import type { Attribution } from './attribute-samples.ts';

/** Number of rows per printed table. */
const TOP = 25;

/**
 * Prints a process's CPU use by function, part and owner. The profiler also counts time in which
 * another process has the core. So only the profiler's shares are used, multiplied by the CPU time
 * that the kernel counted.
 */
export const printAttribution = (title: string, found: Attribution, cpuPer1000: number): void => {
  process.stdout.write(`\n== ${title}: ${cpuPer1000.toFixed(3)} CPU seconds per 1,000 calls\n`);
  const list = (heading: string, sums: ReadonlyMap<string, number>): void => {
    const rows = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, TOP);
    const shares = rows.map(([name, micros]) => [name, micros / found.busyMicros] as const);
    printTable(
      `${title}: ${heading}`,
      [heading, 'share', 'CPU s/1,000'],
      shares.map(([name, share]) => [
        name,
        `${(share * 100).toFixed(1)} %`,
        (share * cpuPer1000).toFixed(4),
      ]),
    );
  };
  list('self time by function', found.functions);
  list('self time by part', found.parts);
  list('time by owner', found.owners);
};
