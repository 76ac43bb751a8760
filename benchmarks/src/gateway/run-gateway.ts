import type { Bench } from '../bench.ts';
import { readLedger } from '../chain/read-ledger.ts';
import { verifyLedger } from '../chain/verify-ledger.ts';
import { measureRow, runStretch } from '../measure-row.ts';
import type { Target } from '../measure-row.ts';
import type { Pace } from '../pace.ts';
import { readPostgresSettings } from '../postgres-settings.ts';
import { toLoadTable } from '../report/print-report.ts';
import { summarizeRows } from '../report/summarize-rows.ts';
import type { RawRow } from '../report/summarize-rows.ts';
import { checkExportedChain } from './check-exported-chain.ts';
import { compareWithPipe } from './compare-with-pipe.ts';
import { createGatewayTarget } from './create-target.ts';
import { planRows } from './gateway-loads.ts';
import type { GatewayLoad, GatewayRow } from './gateway-loads.ts';
import { judgeGateway } from './judge-gateway.ts';
import { ANSWER_BYTES, PACED_FIRST_MS, PACED_GAP_MS, STREAM_CHUNKS } from './mock-answers.ts';
import { openLoadGenerator, openPipe, openProvider, openWitan, toDirect } from './open-systems.ts';
import type { GatewaySystem } from './open-systems.ts';

/**
 * Measures both dialects alternately through the bare pipe and through Witan in one process and in
 * separate ones. Some loads are also measured with metering, and paced streams also without a
 * system in between. Then checks the chains and the ledgers.
 */
export const runGateway: Bench = async ({ pace, choice, stateDir, resources, log }) => {
  const provider = await openProvider(stateDir, resources);
  const clients = await openLoadGenerator(stateDir, resources);
  const at = { stateDir, providerUrl: provider.ready.url };
  const planned = planRows(pace, choice);
  const systems: GatewaySystem[] = [
    toDirect(provider),
    await openPipe(stateDir, provider.ready.url, resources),
  ];
  const isMeteringAsked = planned.some(({ isAlsoMetered }) => isAlsoMetered);
  for (const mode of ['standalone', 'processes'] as const) {
    for (const metering of ['unmetered', 'metered'] as const) {
      if (metering === 'metered' && !isMeteringAsked) continue;
      systems.push(await openWitan({ mode, metering, ...at }, resources));
    }
  }
  const ids = new Map(systems.map(({ name }) => [name, [] as string[]]));
  const targetOf: TargetOf = (system, load) =>
    createGatewayTarget({ system, load, provider, clients, ids: ids.get(system.name)! });

  await warmUp(systems, planned, targetOf, { pace, log });
  const rows = await measureAll(systems, planned, targetOf, { pace, log });
  const checks: Record<string, unknown> = {};
  for (const { name, file, isMetered } of systems) {
    if (!file) continue;
    log(`checking chain and ledger of ${name}`);
    const own = ids.get(name)!;
    const chain = await checkExportedChain(file, own);
    const ledger = verifyLedger(await readLedger(file.databaseUrl), {
      calls: new Map([[file.workspaceId, own.length]]),
      metering: isMetered ? 'metered' : 'unmetered',
    });
    checks[name] = { chain, ledger };
  }
  const summary = compareWithPipe(summarizeRows(rows));
  const { databaseUrl } = systems.find(({ file }) => file)!.file!;
  return {
    config: {
      loads: [...new Set(planned.map(({ load }) => load))],
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
    aims: judgeGateway(summary, pace),
  };
};

type TargetOf = (system: GatewaySystem, load: GatewayLoad) => Target;
type Surroundings = { pace: Pace; log: (line: string) => void };

const warmUp = async (
  systems: readonly GatewaySystem[],
  planned: readonly GatewayRow[],
  targetOf: TargetOf,
  { pace, log }: Surroundings,
): Promise<void> => {
  const { firstWarmUpMs: maxMs, gateway } = pace;
  const inFlight = gateway.inFlight.busy[0]!;
  const limits = { inFlight, maxMs, maxCalls: gateway.row.callsMax };
  // Paced loads are left out, because they run the same code as the unpaced ones.
  const unpaced = planned.filter(({ load }) => !load.isPaced);
  const rows = unpaced.length > 0 ? unpaced : planned;
  for (const system of systems) {
    // A metered system is warmed up with every load, so that as much of its code is compiled as in
    // the unmetered one.
    const own = system.isMetered ? rows : rows.filter((row) => isMeasured(system, row));
    for (const load of new Set(own.map((row) => row.load))) {
      log(`warming up ${system.name}, ${load.name}`);
      await runStretch(targetOf(system, load), limits);
    }
  }
};

const measureAll = async (
  systems: readonly GatewaySystem[],
  planned: readonly GatewayRow[],
  targetOf: TargetOf,
  { pace, log }: Surroundings,
): Promise<RawRow[]> => {
  const { rounds, gateway } = pace;
  const rows: RawRow[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const row of planned) {
      const { load, inFlight } = row;
      for (const system of systems.filter((one) => isMeasured(one, row))) {
        log(`round ${round} of ${rounds}: ${system.name}, ${load.name}, ${inFlight} at once`);
        const rowPace = load.isPaced ? gateway.pacedRow : gateway.row;
        const measured = await measureRow(targetOf(system, load), inFlight, rowPace);
        rows.push({ system: system.name, load: load.name, inFlight, round, ...measured });
      }
    }
  }
  return rows;
};

/**
 * Returns true if the system is measured with this row. The provider itself is measured with paced
 * loads only, because without pacing its rate says nothing about Witan.
 */
const isMeasured = (
  { name, isMetered }: GatewaySystem,
  { load, isAlsoMetered }: GatewayRow,
): boolean => (name === 'direct' ? load.isPaced : !isMetered || isAlsoMetered);
