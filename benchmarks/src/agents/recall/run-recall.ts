import type { BenchContext, BenchPart } from '../../bench.ts';
import { measureRounds, measureCpu } from '../../measure-row.ts';
import type { RowMeasurement } from '../../measure-row.ts';
import { readPostgresSettings } from '../../database.ts';
import type { MemoryCommand } from './populate-memories.ts';
import { CONNECTIONS, openRecallTestbed } from './open-recall-testbed.ts';
import type { RecallTestbed } from './open-recall-testbed.ts';
import {
  AGENTS_PER_WORKSPACE,
  FULL_MEMORIES,
  GLOBAL_MEMORIES,
  OWN_MEMORIES,
} from './populate-memories.ts';
import { judgeRecall, RECALL_LOAD, summarizeRecall, toRecallTable } from './summarize-recall.ts';
import type { RecallRow, RecallSystem } from './summarize-recall.ts';

/**
 * A measured operation; it fails if the mean number of memories per call is not within `expected`.
 */
type RecallCase = {
  load: string;
  order: Omit<MemoryCommand, 'limits'>;
  expected: { min: number; max: number };
  systems: readonly RecallSystem[];
  inFlight: readonly number[];
};

/**
 * Approximate share of the memories of the agent with the maximum that fits the prompt of
 * `prepare`.
 */
const BUDGET_SHARE = 0.1;

/**
 * Measures reading, selecting and writing memories in a large table, alternating with plain `pg`
 * statements on a copy of the table.
 */
export const runRecall = async (context: BenchContext): Promise<BenchPart> => {
  const { preset, resources } = context;
  const ownResources = resources.use(new AsyncDisposableStack());
  const testbed = await openRecallTestbed(context, ownResources);
  const cases = planCases(testbed, preset.agents.recall.inFlight);
  const rows = await measureAll(testbed, cases, context);
  const postgres = await readPostgresSettings(testbed.postgres.adminUrl);
  await ownResources.disposeAsync();
  const summary = summarizeRecall(rows);
  return {
    name: 'recall',
    config: {
      memories: testbed.population.memories,
      agentsPerWorkspace: AGENTS_PER_WORKSPACE,
      ownMemories: OWN_MEMORIES,
      globalMemories: GLOBAL_MEMORIES,
      fullMemories: FULL_MEMORIES,
      budgetShare: BUDGET_SHARE,
      connections: CONNECTIONS,
      postgres,
    },
    rows,
    summary,
    table: toRecallTable(summary),
    checks: { memories: testbed.population.memories },
    aims: judgeRecall(summary),
  };
};

const BOTH_SYSTEMS: readonly RecallSystem[] = ['plain', 'agents'];
const AGENTS_ONLY: readonly RecallSystem[] = ['agents'];

const exactCount = (memories: number): RecallCase['expected'] => ({ min: memories, max: memories });

const planCases = ({ population }: RecallTestbed, inFlight: readonly number[]): RecallCase[] => {
  const { owners, fullAgent } = population;
  const all = OWN_MEMORIES + GLOBAL_MEMORIES;
  const selected = FULL_MEMORIES * BUDGET_SHARE;
  return [
    {
      load: RECALL_LOAD,
      order: { kind: 'recall', owners },
      expected: exactCount(all),
      systems: BOTH_SYSTEMS,
      inFlight,
    },
    {
      load: `recall of ${FULL_MEMORIES}`,
      order: { kind: 'recall', owners: [fullAgent] },
      expected: exactCount(FULL_MEMORIES),
      systems: BOTH_SYSTEMS,
      inFlight: [1],
    },
    {
      load: `prompt with 10 % of ${FULL_MEMORIES}`,
      order: { kind: 'prepare', owners: [fullAgent], contextTokens: CONTEXT_TOKENS },
      expected: { min: 0.7 * selected, max: 1.3 * selected },
      systems: AGENTS_ONLY,
      inFlight: [1],
    },
    {
      load: 'another value of a key',
      order: { kind: 'write', owners },
      expected: exactCount(1),
      systems: BOTH_SYSTEMS,
      inFlight,
    },
  ];
};

/**
 * Size of the model's context window. At most a quarter of its usable part is for memories, enough
 * for about a tenth of the memories of the agent with the maximum.
 */
const CONTEXT_TOKENS = 30_000;

const measureAll = (
  testbed: RecallTestbed,
  cases: readonly RecallCase[],
  context: BenchContext,
): Promise<RecallRow[]> => {
  const { row } = context.preset.agents.recall;
  const plan = cases.flatMap(({ load, order, expected, systems, inFlight: counts }) =>
    counts.flatMap((inFlight) =>
      systems.map((system) => ({
        label: `${system}, ${load}, ${inFlight} at once`,
        measure: async () => {
          const options = { system, order, inFlight, expected };
          return { system, load, inFlight, ...(await measureCase(testbed, options, row)) };
        },
      })),
    ),
  );
  return measureRounds(plan, context);
};

const measureCase = async (
  { postgres, agents, plain }: RecallTestbed,
  what: {
    system: RecallSystem;
    order: RecallCase['order'];
    inFlight: number;
    expected: RecallCase['expected'];
  },
  row: { warmUpMs: number; measureMs: number; callsMax: number },
): Promise<RowMeasurement & { memoriesPerCall: number }> => {
  const { system, order, inFlight, expected } = what;
  const caller = system === 'agents' ? agents : plain;
  const limitsOf = (maxMs: number) => ({ inFlight, maxMs, maxCalls: row.callsMax });
  await caller.execute({ ...order, limits: limitsOf(row.warmUpMs) });
  const counted = { postgres: postgres.pid, [system]: caller.pid };
  const measured = await measureCpu({ counted, bystanders: {} }, () =>
    caller.execute({ ...order, limits: limitsOf(row.measureMs) }),
  );
  const { memoriesPerCall } = measured;
  if (memoriesPerCall < expected.min || memoriesPerCall > expected.max) {
    throw new Error(`${system}, ${order.kind}: ${memoriesPerCall} memories a call.`);
  }
  return measured;
};
