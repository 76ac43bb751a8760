import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { openPostgres, readPostgresSettings } from '../database.ts';
import { toLoadTable } from '../report/print-report.ts';
import { summarizeRows } from '../report/summarize-rows.ts';
import { compareSystems } from './compare-systems.ts';
import { measureFloor, toFloorTable } from './floor/measure-floor.ts';
import { planRows } from './gateway-loads.ts';
import { measureInside, toCountTable, toStageTable } from './inside/measure-inside.ts';
import { judgeGateway } from './judge-gateway.ts';
import { toMemoryTable } from './measure-memory.ts';
import { measureSystems } from './measure-systems.ts';
import { ANSWER_BYTES, STREAM_CHUNKS } from './mock-answers.ts';

/**
 * Measures the loads through the references, the floor, Witan and the peers; then, in a full run,
 * the floor piece by piece and what one process of Witan does for a call.
 */
export const runGateway: Bench = async (context) => {
  const { choice, stateDir, resources } = context;
  const plannedRows = planRows(choice);
  const measured = await measureSystems(plannedRows, { ...context, hasOthers: true });
  const { rows, memory, checks, systems } = measured;
  const summary = compareSystems(summarizeRows(rows));
  const isNarrowed = choice.loads !== undefined || choice.inFlight !== undefined;
  const standalone = systems.find(({ name }) => name === 'standalone')!;
  const inside = isNarrowed ? [] : await measureInside(standalone, measured, context);
  const options = { stateDir: join(stateDir, 'pieces'), services: [] };
  const floor = isNarrowed
    ? []
    : await measureFloor(
        { ...measured, database: await openPostgres(options, resources) },
        context,
      );
  const versions = systems.flatMap(({ name, version }) => (version ? [[name, version]] : []));
  return {
    config: {
      loads: [...new Set(plannedRows.map(({ load }) => load))],
      answerBytes: ANSWER_BYTES,
      streamChunks: STREAM_CHUNKS,
      peers: Object.fromEntries(versions) as object,
      postgres: await readPostgresSettings(standalone.file!.databaseUrl),
    },
    rows,
    summary,
    memory,
    floor,
    inside,
    tables: [
      toLoadTable(summary),
      toMemoryTable(memory),
      ...(isNarrowed ? [] : [toFloorTable(floor), toStageTable(inside), toCountTable(inside)]),
    ],
    checks,
    aims: judgeGateway(summary, memory),
  };
};
