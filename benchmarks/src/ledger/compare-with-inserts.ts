import type { Pace } from '../pace.ts';
import { atLeast, atMost } from '../report/aim.ts';
import type { Aim } from '../report/aim.ts';
import type { ComparedRow } from '../report/print-report.ts';
import { findRow } from '../report/summarize-rows.ts';
import type { SummaryRow } from '../report/summarize-rows.ts';

/** Puts every row beside the plain inserts of as many callers in the same run. */
export const compareWithInserts = (rows: readonly SummaryRow[]): ComparedRow[] =>
  rows.map((row) => {
    const insert = findRow(rows, { ...row, system: 'insert' });
    return {
      ...row,
      ratios: {
        '/s of insert': row.perSecond / insert.perSecond,
        'CPU of insert': row.cpuPer1000 / insert.cpuPer1000,
      },
    };
  });

/** The aims of the ledger: certificates under many callers, and one certificate alone. */
export const judgeLedger = (rows: readonly ComparedRow[], pace: Pace): Aim[] => {
  const most = Math.max(...pace.ledger.callers);
  const row = (system: string, inFlight: number): SummaryRow =>
    findRow(rows, { system, load: 'certificate', inFlight });
  return [
    atLeast(`certificates, ${most} callers`, '/s', 8_000, row('certify', most).perSecond),
    atMost('p50 of reservation and certificate, 1 caller', 'ms', 2, row('certify', 1).p50),
    atMost('p50 of the certificate alone, 1 caller', 'ms', 2, row('append', 1).p50),
    atMost(
      `p99 of reservation and certificate, ${most} callers`,
      'ms',
      25,
      row('certify', most).p99,
    ),
  ];
};
