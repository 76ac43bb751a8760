import type { Preset } from '../preset.ts';
import { atLeast, atMost } from '../report/print-report.ts';
import type { Aim, ComparedRow } from '../report/print-report.ts';
import { findRow } from '../report/summarize-rows.ts';
import type { SummaryRow } from '../report/summarize-rows.ts';

export const ONE_WORKSPACE = '1 workspace';
export const MANY_WORKSPACES = '64 workspaces';

/**
 * Adds ratios to every row: to plain inserts with the same number of callers, and for a metered row
 * also to the unmetered row.
 */
export const compareWithInserts = (rows: readonly SummaryRow[]): ComparedRow[] =>
  rows.map((row) => {
    const insert = findRow(rows, { ...row, load: ONE_WORKSPACE, system: 'insert' });
    const unmetered =
      row.system === 'certify, metered' ? findRow(rows, { ...row, system: 'certify' }) : undefined;
    return {
      ...row,
      ratios: {
        '/s of insert': row.perSecond / insert.perSecond,
        'CPU of insert': row.cpuPer1000 / insert.cpuPer1000,
        ...(unmetered
          ? {
              '/s of unmetered': row.perSecond / unmetered.perSecond,
              'CPU of unmetered': row.cpuPer1000 / unmetered.cpuPer1000,
            }
          : {}),
      },
    };
  });

/**
 * Compares rows of one workspace with their aims: reservations with certificates, for the most
 * callers (unmetered and metered) and for one caller, and certificates alone for one caller.
 */
export const judgeLedger = (
  rows: readonly SummaryRow[],
  { ledger }: Pick<Preset, 'ledger'>,
): Aim[] => {
  const maxCallers = Math.max(...ledger.callers);
  const row = (system: string, inFlight: number): SummaryRow =>
    findRow(rows, { system, load: ONE_WORKSPACE, inFlight });
  const unmetered = row('certify', maxCallers);
  const metered = row('certify, metered', maxCallers);
  const rate = `reservations and certificates, ${maxCallers} callers`;
  const slowest = `p99 of reservation and certificate, ${maxCallers} callers`;
  return [
    atLeast(`${rate}, unmetered`, '/s', 8_000, unmetered.perSecond),
    atMost(`${slowest}, unmetered`, 'ms', 25, unmetered.p99),
    atLeast(`${rate}, metered`, '/s', 6_000, metered.perSecond),
    atMost(`${slowest}, metered`, 'ms', 30, metered.p99),
    atMost('p50 of reservation and certificate, 1 caller', 'ms', 2, row('certify', 1).p50),
    atMost('p50 of the certificate alone, 1 caller', 'ms', 2, row('append', 1).p50),
  ];
};
