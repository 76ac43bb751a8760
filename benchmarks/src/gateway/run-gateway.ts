import { measureRow, runStretch } from '../measure-row.ts';
import type { Pace } from '../pace.ts';
import type { Bench } from '../bench.ts';
import { readPostgresFacts } from '../postgres-facts.ts';
import { summarizeRows } from '../report/summarize-rows.ts';
import type { RawRow } from '../report/summarize-rows.ts';
import type { ChatMode } from './chat-traffic.ts';
import { ANSWER_BYTES, REQUEST_BYTES, STREAM_CHUNKS } from './chat-traffic.ts';
import { checkExportedChain } from './check-exported-chain.ts';
import { compareWithPipe, judgeGateway } from './compare-with-pipe.ts';
import { createChatTarget } from './create-target.ts';
import { openLoadGenerator, openPipe, openProvider, openWitan } from './open-systems.ts';
import type { GatewaySystem } from './open-systems.ts';

const MODES: readonly ChatMode[] = ['plain', 'streamed'];

/**
 * Chat completions through the bare pipe, Witan in one process and Witan in separate processes, in
 * turns; then the chains of both are checked against every answer that was given.
 */
export const runGateway: Bench = async ({ pace, stateDir, resources, tell }) => {
  const provider = await openProvider(stateDir, resources);
  const clients = await openLoadGenerator(stateDir, resources);
  const at = { stateDir, providerUrl: provider.ready.url };
  const systems: GatewaySystem[] = [
    await openPipe(stateDir, provider.ready.url, resources),
    await openWitan({ mode: 'standalone', ...at }, resources),
    await openWitan({ mode: 'processes', ...at }, resources),
  ];
  const ids = new Map(systems.map(({ name }) => [name, [] as string[]]));
  const targetOf = (system: GatewaySystem, mode: ChatMode) =>
    createChatTarget({ system, mode, provider, clients, ids: ids.get(system.name)! });

  const rows = await measureAll(systems, targetOf, pace, tell);
  const checks: Record<string, unknown> = {};
  for (const { name, file } of systems) {
    if (!file) continue;
    tell(`checking the chain of ${name}`);
    checks[name] = await checkExportedChain(file, ids.get(name)!);
  }
  const summary = compareWithPipe(summarizeRows(rows));
  return {
    config: {
      modes: MODES,
      inFlight: pace.gatewayInFlight,
      requestBytes: REQUEST_BYTES,
      answerBytes: ANSWER_BYTES,
      streamChunks: STREAM_CHUNKS,
      postgres: await readPostgresFacts(systems[1]!.file!.databaseUrl),
    },
    rows,
    summary,
    checks,
    aims: judgeGateway(summary, pace),
  };
};

const measureAll = async (
  systems: readonly GatewaySystem[],
  targetOf: (system: GatewaySystem, mode: ChatMode) => Parameters<typeof measureRow>[0],
  pace: Pace,
  tell: (line: string) => void,
): Promise<RawRow[]> => {
  const { firstWarmUpMs, callsMax, rounds, gatewayInFlight } = pace;
  const most = Math.max(...gatewayInFlight);
  for (const system of systems) {
    for (const mode of MODES) {
      tell(`warming up ${system.name}, ${mode}`);
      const limits = { inFlight: most, maxMs: firstWarmUpMs, maxCalls: callsMax };
      await runStretch(targetOf(system, mode), limits);
    }
  }
  const rows: RawRow[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const load of MODES) {
      for (const inFlight of gatewayInFlight) {
        for (const system of systems) {
          tell(`round ${round} of ${rounds}: ${system.name}, ${load}, ${inFlight} at once`);
          const row = await measureRow(targetOf(system, load), inFlight, pace);
          rows.push({ system: system.name, load, inFlight, round, ...row });
        }
      }
    }
  }
  return rows;
};
