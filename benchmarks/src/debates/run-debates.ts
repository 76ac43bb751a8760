import type { Bench, BenchContext } from '../bench.ts';
import { readLedger } from '../chain/read-ledger.ts';
import { verifyLedger } from '../chain/verify-ledger.ts';
import { checkExportedChain } from '../gateway/check-exported-chain.ts';
import { readPostgresSettings } from '../postgres-settings.ts';
import type { DebateRow } from './debate-row.ts';
import { measureDebates } from './measure-debates.ts';
import type { DebateTally } from './measure-debates.ts';
import { openDebateStage } from './open-debate-stage.ts';
import type { DebateStage } from './open-debate-stage.ts';
import { judgeDebates, summarizeDebates, toDebateTable } from './summarize-debates.ts';

/**
 * Measures whole debates over the API relative to the time of their model calls. Then checks the
 * certificate chain and the ledger.
 */
export const runDebates: Bench = async (context) => {
  const { pace, resources, log } = context;
  const own = resources.use(new AsyncDisposableStack());
  const stage = await openDebateStage(context, own);
  const held: DebateTally = { next: 0, ids: [], calls: 0 };
  const rows = await measureAll(stage, held, context);
  log('checking chain and ledger');
  const { file } = stage.witan;
  // A set, because the ids of framing calls may already be among those of the answers.
  const ids = new Set([...held.ids, ...(await stage.readFrameProofs())]);
  const chain = await checkExportedChain(file, [...ids]);
  const ledger = verifyLedger(await readLedger(file.databaseUrl), {
    calls: new Map([[file.workspaceId, held.calls]]),
    metering: 'unmetered',
  });
  const postgres = await readPostgresSettings(file.databaseUrl);
  await own.disposeAsync();
  const summary = summarizeDebates(rows);
  return {
    config: { debates: held.next, postgres },
    rows,
    summary,
    tables: [toDebateTable(summary)],
    checks: { chain, ledger },
    aims: judgeDebates(summary, pace.debates),
  };
};

const measureAll = async (
  stage: DebateStage,
  held: DebateTally,
  { pace, log }: Pick<BenchContext, 'pace' | 'log'>,
): Promise<DebateRow[]> => {
  const { agents: counts, delaysMs, debates, warmUpDebates, crowd } = pace.debates;
  const rows: DebateRow[] = [];
  log('warming up');
  await stage.convene(Math.max(...counts));
  const warm = { agents: Math.max(...counts), delayMs: 0, inFlight: 1, debates: warmUpDebates };
  await measureDebates(stage, warm, held);
  for (let round = 1; round <= pace.rounds; round += 1) {
    for (const agents of counts) {
      await stage.convene(agents);
      const alone = { agents, inFlight: 1, debates };
      const together = { agents, inFlight: crowd.debates, debates: crowd.debates };
      for (const load of [alone, ...(agents === crowd.agents ? [together] : [])]) {
        for (const delayMs of delaysMs) {
          const name = `${agents} agents, ${delayMs} ms, ${load.inFlight} at once`;
          log(`round ${round} of ${pace.rounds}: ${name}`);
          rows.push({ round, ...(await measureDebates(stage, { ...load, delayMs }, held)) });
        }
      }
    }
  }
  return rows;
};
