import type { ComparedRow } from '../report/print-report.ts';
import { findRow } from '../report/summarize-rows.ts';
import type { SummaryRow } from '../report/summarize-rows.ts';
import { COLD_LOAD } from './gateway-loads.ts';
import { PEERS } from './peers/peers.ts';

const PEER_NAMES: readonly string[] = PEERS.map(({ name }) => name);

/**
 * Adds ratios to every row: to both references and the measured peers with the same load, and of
 * p99 to p50. The references of the first seconds after a start are warm.
 */
export const compareSystems = (rows: readonly SummaryRow[]): ComparedRow[] =>
  rows.map((row) => {
    const load = row.load === COLD_LOAD ? 'chat-plain' : row.load;
    const pipe = findRow(rows, { ...row, load, system: 'pipe' });
    const floorWork = findRow(rows, { ...row, load, system: 'floor-work' });
    const peers = rows.filter(
      (one) =>
        PEER_NAMES.includes(one.system) && one.load === load && one.inFlight === row.inFlight,
    );
    const ratios: Record<string, number> = {
      'CPU of floor-work': row.cpuPer1000 / floorWork.cpuPer1000,
      'CPU of pipe': row.cpuPer1000 / pipe.cpuPer1000,
      ...Object.fromEntries(
        peers.map(({ system, cpuPer1000 }) => [`CPU of ${system}`, row.cpuPer1000 / cpuPer1000]),
      ),
      'p50 +ms': row.p50 - pipe.p50,
      'first byte +ms': row.firstByteP50! - pipe.firstByteP50!,
      'p99 of p50': row.p99 / row.p50,
    };
    return { ...row, ratios };
  });
