import { checkSystem } from '../chain/check-system.ts';
import type { Bench } from '../bench.ts';
import { measureRounds, measureRow, runWarmUp } from '../measure-row.ts';
import type { Target } from '../measure-row.ts';
import type { Preset } from '../preset.ts';
import { readPostgresSettings } from '../database.ts';
import { toLoadTable } from '../report/print-report.ts';
import { summarizeRows } from '../report/summarize-rows.ts';
import type { RawRow } from '../report/summarize-rows.ts';
import { compareWithPipe, judgeGateway } from './judge-gateway.ts';
import { createGatewayTarget } from './create-target.ts';
import { planRows } from './gateway-loads.ts';
import type { GatewayLoad, GatewayRow } from './gateway-loads.ts';
import { ANSWER_BYTES, PACED_FIRST_MS, PACED_GAP_MS, STREAM_CHUNKS } from './mock-answers.ts';
import {
  openHttpClients,
  openPipe,
  openProvider,
  openWitan,
  toDirectSystem,
} from './open-systems.ts';
import type { GatewaySystem } from './open-systems.ts';

/**
 * Measures both dialects through the bare pipe, Witan in one process and Witan in separate
 * processes, in alternation. Some loads are also measured with metering, and paced streams also
 * without a system in between. Then checks the chains and the ledgers.
 */
export const runGateway: Bench = async ({ preset, choice, stateDir, resources, log }) => {
  const provider = await openProvider(stateDir, resources);
  const clients = await openHttpClients(stateDir, resources);
  const shared = { stateDir, providerUrl: provider.ready.url };
  const plannedRows = planRows(preset, choice);
  const systems: GatewaySystem[] = [
    toDirectSystem(provider),
    await openPipe(stateDir, provider.ready.url, resources),
  ];
  const isMeteringPlanned = plannedRows.some(({ isAlsoMetered }) => isAlsoMetered);
  for (const mode of ['standalone', 'processes'] as const) {
    for (const metering of ['unmetered', 'metered'] as const) {
      if (metering === 'metered' && !isMeteringPlanned) continue;
      systems.push(await openWitan({ mode, metering, ...shared }, resources));
    }
  }
  const ids = new Map(systems.map(({ name }) => [name, [] as string[]]));
  const targetOf: TargetOf = (system, load) =>
    createGatewayTarget({ system, load, provider, clients, ids: ids.get(system.name)! });

  await warmUp(systems, plannedRows, targetOf, { preset, log });
  const rows = await measureAll(systems, plannedRows, targetOf, { preset, log });
  const checks: Record<string, unknown> = {};
  for (const { name, file, isMetered } of systems) {
    if (!file) continue;
    log(`checking chain and ledger of ${name}`);
    const metering = isMetered ? 'metered' : 'unmetered';
    checks[name] = await checkSystem(file, { ids: ids.get(name)!, metering });
  }
  const summary = compareWithPipe(summarizeRows(rows));
  const { databaseUrl } = systems.find(({ file }) => file)!.file!;
  return {
    config: {
      loads: [...new Set(plannedRows.map(({ load }) => load))],
      answerBytes: ANSWER_BYTES,
      streamChunks: STREAM_CHUNKS,
      pacedFirstMs: PACED_FIRST_MS,
      pacedGapMs: PACED_GAP_MS,
      postgres: await readPostgresSettings(databaseUrl),
    },
    rows,
    summary,
    tables: [toLoadTable(summary)],
    checks,
    aims: judgeGateway(summary, preset),
  };
};

type TargetOf = (system: GatewaySystem, load: GatewayLoad) => Target;
type MeasureContext = { preset: Preset; log: (line: string) => void };

const warmUp = async (
  systems: readonly GatewaySystem[],
  plannedRows: readonly GatewayRow[],
  targetOf: TargetOf,
  { preset, log }: MeasureContext,
): Promise<void> => {
  const { firstWarmUpMs: maxMs, gateway } = preset;
  const inFlight = gateway.inFlight.busy[0]!;
  const limits = { inFlight, maxMs, maxCalls: gateway.row.callsMax };
  // Paced loads are left out unless only paced loads are chosen, because they run the same code as
  // the unpaced loads.
  const unpaced = plannedRows.filter(({ load }) => !load.isPaced);
  const rows = unpaced.length > 0 ? unpaced : plannedRows;
  for (const system of systems) {
    // A metered system is warmed up with every load, so that as much of its code is compiled as in
    // the unmetered system.
    const own = system.isMetered ? rows : rows.filter((row) => isMeasured(system, row));
    for (const load of new Set(own.map((row) => row.load))) {
      log(`warming up ${system.name}, ${load.name}`);
      await runWarmUp(targetOf(system, load), limits);
    }
  }
};

const measureAll = (
  systems: readonly GatewaySystem[],
  plannedRows: readonly GatewayRow[],
  targetOf: TargetOf,
  context: MeasureContext,
): Promise<RawRow[]> => {
  const { pacedRow, row: unpacedRow } = context.preset.gateway;
  const plan = plannedRows.flatMap((row) =>
    systems
      .filter((system) => isMeasured(system, row))
      .map((system) => ({
        label: `${system.name}, ${row.load.name}, ${row.inFlight} at once`,
        measure: async () => {
          const { load, inFlight } = row;
          const rowPreset = load.isPaced ? pacedRow : unpacedRow;
          const measured = await measureRow(targetOf(system, load), inFlight, rowPreset);
          return { system: system.name, load: load.name, inFlight, ...measured };
        },
      })),
  );
  return measureRounds(plan, context);
};

/**
 * Returns true if the system is measured with this row. The provider itself is measured with paced
 * loads only, because without pacing its rate says nothing about Witan.
 */
const isMeasured = (
  { name, isMetered }: GatewaySystem,
  { load, isAlsoMetered }: GatewayRow,
): boolean => (name === 'direct' ? load.isPaced : !isMetered || isAlsoMetered);
