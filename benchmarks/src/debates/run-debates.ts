import { checkSystem } from '../chain/check-system.ts';
import type { Bench, BenchContext } from '../bench.ts';
import { measureRounds } from '../measure-row.ts';
import { readPostgresSettings } from '../database.ts';
import type { DebateRow } from './summarize-debates.ts';
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
  const { preset, resources, log } = context;
  const ownResources = resources.use(new AsyncDisposableStack());
  const testbed = await openDebateTestbed(context, ownResources);
  const tally: DebateTally = { lastQuestion: 0, ids: [], calls: 0 };
  const rows = await measureAll(testbed, tally, context);
  log('checking chain and ledger');
  const { file } = testbed.witan;
  // A set, because proof ids of framing calls may also be among the proof ids of the answers.
  const ids = new Set([...tally.ids, ...(await testbed.readFrameProofs())]);
  const checks = await checkSystem(file, { ids: [...ids], calls: tally.calls });
  const postgres = await readPostgresSettings(file.databaseUrl);
  await ownResources.disposeAsync();
  const summary = summarizeDebates(rows);
  return {
    config: { debates: tally.lastQuestion, postgres },
    rows,
    summary,
    tables: [toDebateTable(summary)],
    checks,
    aims: judgeDebates(summary, preset.debates),
  };
};

const measureAll = async (
  testbed: DebateTestbed,
  tally: DebateTally,
  context: BenchContext,
): Promise<DebateRow[]> => {
  const { agents: counts, delaysMs, debates, warmUpDebates, crowd } = context.preset.debates;
  context.log('warming up');
  const largest = Math.max(...counts);
  await testbed.replaceAgents(largest);
  const warmUp = { agents: largest, delayMs: 0, inFlight: 1, debates: warmUpDebates };
  await measureDebates(testbed, warmUp, tally);
  let councilSize = largest;
  const loads = counts.flatMap((agents) => {
    const sequential = { agents, inFlight: 1, debates };
    const concurrent = { agents, inFlight: crowd.debates, debates: crowd.debates };
    const all = agents === crowd.agents ? [sequential, concurrent] : [sequential];
    return all.flatMap((load) => delaysMs.map((delayMs) => ({ ...load, delayMs })));
  });
  const plan = loads.map((load) => ({
    label: `${load.agents} agents, ${load.delayMs} ms, ${load.inFlight} at once`,
    measure: async () => {
      if (councilSize !== load.agents) await testbed.replaceAgents(load.agents);
      councilSize = load.agents;
      return measureDebates(testbed, load, tally);
    },
  }));
  return measureRounds(plan, context);
};
