import type { Bench } from '../bench.ts';
import { readPostgresSettings } from '../database.ts';
import { toLoadTable } from '../report/print-report.ts';
import { summarizeRows } from '../report/summarize-rows.ts';
import { compareSystems } from './compare-systems.ts';
import { planRows } from './gateway-loads.ts';
import { judgeGateway } from './judge-gateway.ts';
import { toMemoryTable } from './measure-memory.ts';
import { measureSystems } from './measure-systems.ts';
import { ANSWER_BYTES, PACED_FIRST_MS, PACED_GAP_MS, STREAM_CHUNKS } from './mock-answers.ts';

/**
 * Measures both dialects through the references, Witan in one process and Witan in separate
 * processes. Some loads are also measured with metering, and paced streams also without a system in
 * between.
 */
export const runGateway: Bench = async (context) => {
  const { preset, choice } = context;
  const plannedRows = planRows(preset, choice);
  const measurement = await measureSystems(plannedRows, context);
  const { rows, memory, checks, peers, databaseUrl } = measurement;
  const summary = compareSystems(summarizeRows(rows));
  return {
    config: {
      loads: [...new Set(plannedRows.map(({ load }) => load))],
      answerBytes: ANSWER_BYTES,
      streamChunks: STREAM_CHUNKS,
      pacedFirstMs: PACED_FIRST_MS,
      pacedGapMs: PACED_GAP_MS,
      peers,
      postgres: await readPostgresSettings(databaseUrl),
    },
    rows,
    summary,
    memory,
    tables: [toLoadTable(summary), toMemoryTable(memory)],
    checks,
    aims: judgeGateway(summary, preset, memory),
  };
};
