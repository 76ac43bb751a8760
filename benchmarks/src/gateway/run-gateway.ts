import type { Bench } from '../bench.ts';
import { measureRow, runStretch } from '../measure-row.ts';
import type { Target } from '../measure-row.ts';
import type { Pace } from '../pace.ts';
import { readPostgresFacts } from '../postgres-facts.ts';
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
 * Both dialects through the bare pipe, Witan in one process and Witan in separate processes, in
 * turns; paced streams also straight to the provider. Then the chains of both are checked against
 * every answer that was given.
 */
export const runGateway: Bench = async ({ pace, choice, stateDir, resources, tell }) => {
  const provider = await openProvider(stateDir, resources);
  const clients = await openLoadGenerator(stateDir, resources);
  const at = { stateDir, providerUrl: provider.ready.url };
  const systems: GatewaySystem[] = [
    toDirect(provider),
    await openPipe(stateDir, provider.ready.url, resources),
    await openWitan({ mode: 'standalone', ...at }, resources),
    await openWitan({ mode: 'processes', ...at }, resources),
  ];
  const ids = new Map(systems.map(({ name }) => [name, [] as string[]]));
  const targetOf: TargetOf = (system, load) =>
    createGatewayTarget({ system, load, provider, clients, ids: ids.get(system.name)! });

  const planned = planRows(pace, choice);
  await warmUp(systems, planned, targetOf, { pace, tell });
  const rows = await measureAll(systems, planned, targetOf, { pace, tell });
  const checks: Record<string, unknown> = {};
  for (const { name, file } of systems) {
    if (!file) continue;
    tell(`checking the chain of ${name}`);
    checks[name] = await checkExportedChain(file, ids.get(name)!);
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
      postgres: await readPostgresFacts(databaseUrl),
    },
    rows,
    summary,
    checks,
    aims: judgeGateway(summary, pace),
  };
};

type TargetOf = (system: GatewaySystem, load: GatewayLoad) => Target;
type Surroundings = { pace: Pace; tell: (line: string) => void };

const warmUp = async (
  systems: readonly GatewaySystem[],
  planned: readonly GatewayRow[],
  targetOf: TargetOf,
  { pace, tell }: Surroundings,
): Promise<void> => {
  const { firstWarmUpMs: maxMs, gateway } = pace;
  const inFlight = gateway.inFlight.busy[0]!;
  const limits = { inFlight, maxMs, maxCalls: gateway.row.callsMax };
  const loads = [...new Set(planned.map(({ load }) => load))];
  // A paced load runs the same code as the one that it is a slow version of.
  const unpaced = loads.filter(({ isPaced }) => !isPaced);
  for (const system of systems) {
    for (const load of unpaced.length > 0 ? unpaced : loads) {
      if (!isMeasured(system, load)) continue;
      tell(`warming up ${system.name}, ${load.name}`);
      await runStretch(targetOf(system, load), limits);
    }
  }
};

const measureAll = async (
  systems: readonly GatewaySystem[],
  planned: readonly GatewayRow[],
  targetOf: TargetOf,
  { pace, tell }: Surroundings,
): Promise<RawRow[]> => {
  const { rounds, gateway } = pace;
  const rows: RawRow[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const { load, inFlight } of planned) {
      for (const system of systems) {
        if (!isMeasured(system, load)) continue;
        tell(`round ${round} of ${rounds}: ${system.name}, ${load.name}, ${inFlight} at once`);
        const rowPace = load.isPaced ? gateway.pacedRow : gateway.row;
        const row = await measureRow(targetOf(system, load), inFlight, rowPace);
        rows.push({ system: system.name, load: load.name, inFlight, round, ...row });
      }
    }
  }
  return rows;
};

/** Unpaced, the direct rate says how fast the mock is and nothing else. */
const isMeasured = ({ name }: GatewaySystem, { isPaced }: GatewayLoad): boolean =>
  isPaced || name !== 'direct';
