import type { BenchContext, BenchResult } from '../bench.ts';
import { readLedger } from '../chain/read-ledger.ts';
import { verifyLedger } from '../chain/verify-ledger.ts';
import { toCompanyName } from '../debates/company-name.ts';
import { openDebateStage } from '../debates/open-debate-stage.ts';
import type { DebateStage } from '../debates/open-debate-stage.ts';
import { checkExportedChain } from '../gateway/check-exported-chain.ts';
import { summarizeLatencies } from '../load/latency-summary.ts';
import { monotonicMs } from '../load/monotonic-clock.ts';
import { accountCpu } from '../measure-row.ts';
import { readPostgresSettings } from '../postgres-settings.ts';
import { toAdvancePath } from './advance-path.ts';
import type { AdvanceTimes } from './advance-path.ts';
import { judgeAdvances, summarizeAdvances, toAdvanceTable } from './summarize-advances.ts';
import type { AdvanceLoad, AdvanceRow } from './summarize-advances.ts';

/**
 * `next`: number of the last simulation. `ids`: proof ids of the simulation turns. `calls`: number
 * of provider calls so far.
 */
type AdvanceTally = { next: number; ids: string[]; calls: number };

/**
 * Measures simulation turns over the API relative to the time of their model calls. Then checks the
 * certificate chain and the ledger.
 */
export const measureAdvances = async (context: BenchContext): Promise<BenchResult> => {
  const { pace, resources, log } = context;
  const { scenarios: counts, delaysMs, agents, turns } = pace.simulation.advance;
  const own = resources.use(new AsyncDisposableStack());
  const stage = await openDebateStage(context, own);
  const played: AdvanceTally = { next: 0, ids: [], calls: 0 };
  const rows: AdvanceRow[] = [];
  await stage.convene(agents);
  log('warming up');
  // In ascending order, because a system whose code is not compiled yet cannot take the largest
  // load.
  for (const scenarios of counts) {
    await measureAdvance(stage, { scenarios, agents, delayMs: 0, turns }, played);
  }
  for (let round = 1; round <= pace.rounds; round += 1) {
    for (const scenarios of counts) {
      for (const delayMs of delaysMs) {
        log(`round ${round} of ${pace.rounds}: ${scenarios} scenarios, ${delayMs} ms`);
        const load = { scenarios, agents, delayMs, turns };
        rows.push({ round, ...(await measureAdvance(stage, load, played)) });
      }
    }
  }
  log('checking chain and ledger');
  const { file } = stage.witan;
  const chain = await checkExportedChain(file, played.ids);
  const ledger = verifyLedger(await readLedger(file.databaseUrl), {
    calls: new Map([[file.workspaceId, played.calls]]),
    metering: 'unmetered',
  });
  const postgres = await readPostgresSettings(file.databaseUrl);
  await own.disposeAsync();
  const summary = summarizeAdvances(rows);
  return {
    config: { advances: played.next, postgres },
    rows,
    summary,
    tables: [toAdvanceTable(summary)],
    checks: { chain, ledger },
    aims: judgeAdvances(summary, pace.simulation.advance),
  };
};

type MeasuredAdvance = AdvanceTimes & { answer: AdvanceAnswer };
type AdvanceAnswer = {
  states: { decisions: { proposals: object[] } }[];
  usage: { totalTokens: number };
  proofs: string[];
};

/**
 * Measures simulation turns, each the first of its own simulation, so that prompts have equal
 * length.
 */
const measureAdvance = async (
  stage: DebateStage,
  { turns, ...load }: AdvanceLoad & { turns: number },
  played: AdvanceTally,
): Promise<Omit<AdvanceRow, 'round'>> => {
  const { witan, provider } = stage;
  const first = played.next;
  const begun: string[] = [];
  for (let at = 0; at < turns; at += 1) begun.push(await begin(stage, load, played));
  await provider.ask({ kind: 'begin', delayMs: load.delayMs });
  const accounted = { counted: witan.processes, bystanders: { provider: provider.pid } };
  const measured = await accountCpu(accounted, async () => {
    const made: Omit<MeasuredAdvance, 'calls'>[] = [];
    for (const id of begun) {
      const sentAt = monotonicMs();
      const path = `/sim-engine/simulations/${id}/advance`;
      const answer = await stage.call<AdvanceAnswer>('POST', path, {});
      made.push({ sentAt, endedAt: monotonicMs(), answer });
    }
    return { calls: turns, made };
  });
  const { made, calls: _turns, ...cpu } = measured;
  const report = await provider.ask({ kind: 'report' });
  const calls = Map.groupBy(report.calls, ({ debate }) => debate);
  const all = made.map((one, at) => ({ ...one, calls: calls.get(first + at + 1) ?? [] }));
  for (const one of all) checkAdvance(one, load);
  played.calls += report.calls.length;
  played.ids.push(...all.flatMap(({ answer }) => answer.proofs));
  const paths = all.map(toAdvancePath);
  return {
    ...load,
    ...cpu,
    turns,
    wallMs: summarizeLatencies(paths.map(({ wallMs }) => wallMs)),
    criticalMs: summarizeLatencies(paths.map(({ criticalMs }) => criticalMs)),
    ratio: summarizeLatencies(paths.map(({ wallMs, criticalMs }) => wallMs / criticalMs)),
    beginMs: summarizeLatencies(paths.map(({ beginMs }) => beginMs)),
    tailMs: summarizeLatencies(paths.map(({ tailMs }) => tailMs)),
  };
};

const COMPANY = { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000 };

const begin = async (
  { call }: DebateStage,
  { scenarios }: AdvanceLoad,
  played: AdvanceTally,
): Promise<string> => {
  played.next += 1;
  const body = { name: toCompanyName(played.next), turnUnit: 'quarter', companyBase: COMPANY };
  type CreatedSimulation = { simulation: { id: string } };
  const { simulation } = await call<CreatedSimulation>('POST', '/sim-engine/simulations', body);
  const path = `/sim-engine/simulations/${simulation.id}/scenarios`;
  for (let index = 1; index <= scenarios; index += 1) {
    await call('POST', path, { name: `World ${index}`, parameters: { gdpGrowth: index / 4 } });
  }
  return simulation.id;
};

/** Number of rounds: the agents disagree and none changes its stance, so a panel ends after two. */
const ROUNDS = 2;

const checkAdvance = (
  { answer, calls }: MeasuredAdvance,
  { scenarios, agents }: AdvanceLoad,
): void => {
  const wanted = scenarios * agents * ROUNDS;
  const complete = answer.states.filter(({ decisions }) => decisions.proposals.length === agents);
  if (calls.length !== wanted || complete.length !== scenarios) {
    const took = `${calls.length} calls and ${complete.length} whole councils`;
    throw new Error(`An advance took ${took}, not ${wanted} and ${scenarios}.`);
  }
  const counted = calls.reduce((sum, one) => sum + one.promptTokens + one.completionTokens, 0);
  if (answer.usage.totalTokens !== counted) {
    const reportedTokens = `${answer.usage.totalTokens} tokens, its calls were ${counted}`;
    throw new Error(`An advance was told as ${reportedTokens}.`);
  }
};
