import type { Pace } from '../pace.ts';
import { atMost } from '../report/aim.ts';
import type { Aim } from '../report/aim.ts';
import type { ComparedRow } from '../report/print-report.ts';
import { findRow } from '../report/summarize-rows.ts';
import type { SummaryRow } from '../report/summarize-rows.ts';

/** Puts every row beside the bare pipe's of the same load and run. */
export const compareWithPipe = (rows: readonly SummaryRow[]): ComparedRow[] =>
  rows.map((row) => {
    const pipe = findRow(rows, { ...row, system: 'pipe' });
    return {
      ...row,
      ratios: {
        '/s of pipe': row.perSecond / pipe.perSecond,
        'CPU of pipe': row.cpuPer1000 / pipe.cpuPer1000,
        'first byte +ms': row.firstByteP50! - pipe.firstByteP50!,
      },
    };
  });

/** The aims of the gateway: CPU at full load, time to the first byte of a stream alone. */
export const judgeGateway = (rows: readonly ComparedRow[], pace: Pace): Aim[] => {
  const most = Math.max(...pace.gatewayInFlight);
  const cpu = (system: string, load: string, limit: number): Aim => {
    const { cpuPer1000 } = findRow(rows, { system, load, inFlight: most });
    return atMost(`CPU, ${system}, ${load}, ${most} at once`, 's/1,000', limit, cpuPer1000);
  };
  const firstByte = (system: string, limit: number): Aim => {
    const row = findRow(rows, { system, load: 'streamed', inFlight: 1 });
    const pipe = findRow(rows, { system: 'pipe', load: 'streamed', inFlight: 1 });
    const over = row.firstByteP50! - pipe.firstByteP50!;
    return atMost(`first byte over the pipe, ${system}, 1 at once`, 'ms', limit, over);
  };
  return [
    cpu('standalone', 'plain', 0.4),
    cpu('standalone', 'streamed', 0.7),
    cpu('separate', 'plain', 1),
    cpu('separate', 'streamed', 2),
    firstByte('standalone', 1.5),
    firstByte('separate', 4),
  ];
};
