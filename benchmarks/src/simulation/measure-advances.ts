import type { BenchContext, BenchResult, Bench } from '../bench.ts';
import { checkSystem } from '../chain/check-system.ts';
import { readPostgresSettings } from '../database.ts';
import { toCompanyName } from '../debates/council-play.ts';
import { checkTokens } from '../debates/critical-path.ts';
import { openDebateTestbed } from '../debates/open-debate-testbed.ts';
import type { DebateTestbed } from '../debates/open-debate-testbed.ts';
import { summarizeEach, monotonicMs } from '../load/latency-summary.ts';
import { measureRounds, measureCpu } from '../measure-row.ts';
import { measureEngine } from './measure-engine.ts';
import {
  toAdvancePath,
  judgeAdvances,
  summarizeAdvances,
  toAdvanceTable,
} from './summarize-advances.ts';
import type { AdvanceTimes, AdvanceLoad, AdvanceRow } from './summarize-advances.ts';

/**
 * `lastSimulation`: number of the last simulation. `ids`: proof ids of the simulation turns.
 * `calls`: number of provider calls so far.
 */
type AdvanceTally = { lastSimulation: number; ids: string[]; calls: number };

/**
 * Measures simulation turns over the API relative to the time of their model calls. Then checks the
 * certificate chain and the ledger.
 */
export const measureAdvances = async (context: BenchContext): Promise<BenchResult> => {
  const { preset, resources, log } = context;
  const { scenarios: counts, delaysMs, agents, turns } = preset.simulation.advance;
  const ownResources = resources.use(new AsyncDisposableStack());
  const testbed = await openDebateTestbed(context, ownResources);
  const tally: AdvanceTally = { lastSimulation: 0, ids: [], calls: 0 };
  await testbed.replaceAgents(agents);
  log('warming up');
  // In ascending order, because a system whose code is not compiled yet cannot handle the largest
  // load.
  for (const scenarios of counts) {
    await measureAdvance(testbed, { scenarios, agents, delayMs: 0, turns }, tally);
  }
  const loads = counts.flatMap((scenarios) =>
    delaysMs.map((delayMs) => ({ scenarios, agents, delayMs, turns })),
  );
  const plan = loads.map((load) => ({
    label: `${load.scenarios} scenarios, ${load.delayMs} ms`,
    measure: () => measureAdvance(testbed, load, tally),
  }));
  const rows: AdvanceRow[] = await measureRounds(plan, context);
  log('checking chain and ledger');
  const { file } = testbed.witan;
  const checks = await checkSystem(file, tally);
  const postgres = await readPostgresSettings(file.databaseUrl);
  await ownResources.disposeAsync();
  const summary = summarizeAdvances(rows);
  return {
    config: { advances: tally.lastSimulation, postgres },
    rows,
    summary,
    tables: [toAdvanceTable(summary)],
    checks,
    aims: judgeAdvances(summary, preset.simulation.advance),
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
  testbed: DebateTestbed,
  { turns, ...load }: AdvanceLoad & { turns: number },
  tally: AdvanceTally,
): Promise<Omit<AdvanceRow, 'round'>> => {
  const { witan, provider } = testbed;
  const simulationsBefore = tally.lastSimulation;
  const simulationIds: string[] = [];
  for (let at = 0; at < turns; at += 1)
    simulationIds.push(await createSimulation(testbed, load, tally));
  await provider.execute({ kind: 'reset', delayMs: load.delayMs });
  const measuredProcesses = { counted: witan.processes, bystanders: { provider: provider.pid } };
  const measured = await measureCpu(measuredProcesses, async () => {
    const advances: Omit<MeasuredAdvance, 'calls'>[] = [];
    for (const id of simulationIds) {
      const sentAt = monotonicMs();
      const path = `/sim-engine/simulations/${id}/advance`;
      const answer = await testbed.call<AdvanceAnswer>('POST', path, {});
      advances.push({ sentAt, endedAt: monotonicMs(), answer });
    }
    return { calls: turns, advances };
  });
  const { advances, calls: _turns, ...cpu } = measured;
  const report = await provider.execute({ kind: 'report' });
  const calls = Map.groupBy(report.calls, ({ debate }) => debate);
  const all = advances.map((one, at) => ({
    ...one,
    calls: calls.get(simulationsBefore + at + 1) ?? [],
  }));
  for (const one of all) checkAdvance(one, load);
  tally.calls += report.calls.length;
  tally.ids.push(...all.flatMap(({ answer }) => answer.proofs));
  const paths = all
    .map(toAdvancePath)
    .map((path) => ({ ...path, ratio: path.wallMs / path.criticalMs }));
  return {
    ...load,
    ...cpu,
    turns,
    ...summarizeEach(['wallMs', 'criticalMs', 'ratio', 'beginMs', 'tailMs'], paths),
  };
};

const COMPANY = { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000 };

const createSimulation = async (
  { call }: DebateTestbed,
  { scenarios }: AdvanceLoad,
  tally: AdvanceTally,
): Promise<string> => {
  tally.lastSimulation += 1;
  const body = {
    name: toCompanyName(tally.lastSimulation),
    turnUnit: 'quarter',
    companyBase: COMPANY,
  };
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
  const expectedCalls = scenarios * agents * ROUNDS;
  const completeStates = answer.states.filter(
    ({ decisions }) => decisions.proposals.length === agents,
  );
  if (calls.length !== expectedCalls || completeStates.length !== scenarios) {
    const actual = `${calls.length} calls and ${completeStates.length} whole councils`;
    throw new Error(`An advance took ${actual}, not ${expectedCalls} and ${scenarios}.`);
  }
  checkTokens('An advance', answer, calls);
};

/** Measures the engine alone, then turns of whole simulations over the API. */
export const runSimulation: Bench = async (context) => {
  const engine = await measureEngine(context);
  const advances = await measureAdvances(context);
  return {
    config: { ...engine.config, ...advances.config },
    rows: [...engine.rows, ...advances.rows],
    summary: { engine: engine.summary, advances: advances.summary },
    tables: [...engine.tables, ...advances.tables],
    checks: { ...engine.checks, ...advances.checks },
    aims: [...engine.aims, ...advances.aims],
  };
};
