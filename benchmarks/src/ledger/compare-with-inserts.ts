import type { Preset } from '../preset.ts';
import { atLeast, atMost } from '../report/print-report.ts';
import type { Aim, ComparedRow } from '../report/print-report.ts';
import { findRow } from '../report/summarize-rows.ts';
import type { SummaryRow } from '../report/summarize-rows.ts';

export const ONE_WORKSPACE = '1 workspace';
export const MANY_WORKSPACES = '64 workspaces';

/**
 * Adds ratios to every row: to plain inserts with the same number of callers, for a metered row
 * also to the unmetered row, and for a logged row to that without the transparency log.
 */
export const compareWithInserts = (rows: readonly SummaryRow[]): ComparedRow[] =>
  rows.map((row) => {
    const insert = findRow(rows, { ...row, load: ONE_WORKSPACE, system: 'insert' });
    const [system = '', variant = ''] = row.system.split(', ');
    const plain = variant === '' ? undefined : findRow(rows, { ...row, system });
    return {
      ...row,
      ratios: {
        '/s of insert': row.perSecond / insert.perSecond,
        'CPU of insert': row.cpuPer1000 / insert.cpuPer1000,
        ...(plain && {
          [`/s of un${variant}`]: row.perSecond / plain.perSecond,
          [`CPU of un${variant}`]: row.cpuPer1000 / plain.cpuPer1000,
        }),
      },
    };
  });

/** Minimum rates relative to bare inserts with as many callers, in the same run. */
const APPEND_RATE_AIM = 1;
const METERED_RATE_AIM = 0.67;
/** Rate and slowest calls with the transparency log on, relative to those with it off. */
const LOGGED_RATE_AIM = 0.95;
const LOGGED_P99_AIM = 1;
const P99_AIM_MS = 25;
const ALONE_AIM_MS = 2;

/**
 * Compares rows of one workspace with their aims, which docs/performance.md explains: for the most
 * callers the rates of certificates alone and of metered reservations with certificates, relative
 * to bare inserts, and the slowest calls; what the transparency log costs, relative to the same
 * calls without it; for one caller the medians.
 */
export const judgeLedger = (
  rows: readonly SummaryRow[],
  { ledger }: Pick<Preset, 'ledger'>,
): Aim[] => {
  const maxCallers = Math.max(...ledger.callers);
  const row = (system: string, inFlight: number): SummaryRow =>
    findRow(rows, { system, load: ONE_WORKSPACE, inFlight });
  const insert = row('insert', maxCallers);
  const metered = row('certify, metered', maxCallers);
  const [append, logged] = [row('append', maxCallers), row('append, logged', maxCallers)];
  const rateOf = ({ perSecond }: SummaryRow): number => perSecond / insert.perSecond;
  const calls = `${maxCallers} callers`;
  const certify = 'reservation and certificate';
  return [
    atLeast(`rate of certificates alone, ${calls}`, 'of inserts', APPEND_RATE_AIM, rateOf(append)),
    atLeast(
      `rate of certificates alone with the log, ${calls}`,
      'of those without',
      LOGGED_RATE_AIM,
      logged.perSecond / append.perSecond,
    ),
    atMost(
      `p99 of certificates alone with the log, ${calls}`,
      'of those without',
      LOGGED_P99_AIM,
      logged.p99 / append.p99,
    ),
    atLeast(
      `rate of ${certify}, ${calls}, metered`,
      'of inserts',
      METERED_RATE_AIM,
      rateOf(metered),
    ),
    atMost(`p99 of ${certify}, ${calls}, metered`, 'ms', P99_AIM_MS, metered.p99),
    atMost(`p50 of ${certify}, 1 caller`, 'ms', ALONE_AIM_MS, row('certify', 1).p50),
    atMost('p50 of the certificate alone, 1 caller', 'ms', ALONE_AIM_MS, row('append', 1).p50),
  ];
};
