import type { Bench, BenchContext } from '../bench.ts';
import { readLedger } from '../chain/read-ledger.ts';
import { verifyLedger } from '../chain/verify-ledger.ts';
import { checkExportedChain } from '../gateway/check-exported-chain.ts';
import { readPostgresSettings } from '../postgres-settings.ts';
import type { DebateRow } from './debate-row.ts';
import { measureDebates } from './measure-debates.ts';
import type { DebateTally } from './measure-debates.ts';
import { openDebateTestbed } from './open-debate-testbed.ts';
import type { DebateTestbed } from './open-debate-testbed.ts';
import { judgeDebates, summarizeDebates, toDebateTable } from './summarize-debates.ts';

/**
 * Measures whole debates over the API relative to the time of their model calls. Then checks the
 * certificate chain and the ledger.
 */
export const runDebates: Bench = async (context) => {
  const { pace, resources, log } = context;
  const ownResources = resources.use(new AsyncDisposableStack());
  const testbed = await openDebateTestbed(context, ownResources);
  const tally: DebateTally = { lastQuestion: 0, ids: [], calls: 0 };
  const rows = await measureAll(testbed, tally, context);
  log('checking chain and ledger');
  const { file } = testbed.witan;
  // A set, because proof ids of framing calls may also be among the proof ids of the answers.
  const ids = new Set([...tally.ids, ...(await testbed.readFrameProofs())]);
  const chain = await checkExportedChain(file, [...ids]);
  const ledger = verifyLedger(await readLedger(file.databaseUrl), {
    calls: new Map([[file.workspaceId, tally.calls]]),
    metering: 'unmetered',
  });
  const postgres = await readPostgresSettings(file.databaseUrl);
  await ownResources.disposeAsync();
  const summary = summarizeDebates(rows);
  return {
    config: { debates: tally.lastQuestion, postgres },
    rows,
    summary,
    tables: [toDebateTable(summary)],
    checks: { chain, ledger },
    aims: judgeDebates(summary, pace.debates),
  };
};

const measureAll = async (
  testbed: DebateTestbed,
  tally: DebateTally,
  { pace, log }: Pick<BenchContext, 'pace' | 'log'>,
): Promise<DebateRow[]> => {
  const { agents: counts, delaysMs, debates, warmUpDebates, crowd } = pace.debates;
  const rows: DebateRow[] = [];
  log('warming up');
  await testbed.replaceAgents(Math.max(...counts));
  const warmUp = { agents: Math.max(...counts), delayMs: 0, inFlight: 1, debates: warmUpDebates };
  await measureDebates(testbed, warmUp, tally);
  for (let round = 1; round <= pace.rounds; round += 1) {
    for (const agents of counts) {
      await testbed.replaceAgents(agents);
      const sequential = { agents, inFlight: 1, debates };
      const concurrent = { agents, inFlight: crowd.debates, debates: crowd.debates };
      for (const load of [sequential, ...(agents === crowd.agents ? [concurrent] : [])]) {
        for (const delayMs of delaysMs) {
          const name = `${agents} agents, ${delayMs} ms, ${load.inFlight} at once`;
          log(`round ${round} of ${pace.rounds}: ${name}`);
          rows.push({ round, ...(await measureDebates(testbed, { ...load, delayMs }, tally)) });
        }
      }
    }
  }
  return rows;
};
