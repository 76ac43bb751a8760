import type { BenchContext } from '../../bench.ts';
import { accountCpu } from '../../measure-row.ts';
import type { RowMeasurement } from '../../measure-row.ts';
import { readPostgresSettings } from '../../postgres-settings.ts';
import type { AgentsPart } from '../agents-part.ts';
import type { MemoryCommand } from './memory-order.ts';
import { CONNECTIONS, openRecallStage } from './open-recall-stage.ts';
import type { RecallStage } from './open-recall-stage.ts';
import {
  AGENTS_PER_WORKSPACE,
  FULL_MEMORIES,
  GLOBAL_MEMORIES,
  OWN_MEMORIES,
} from './populate-memories.ts';
import { judgeRecall, RECALL_LOAD, summarizeRecall, toRecallTable } from './summarize-recall.ts';
import type { RecallRow, RecallSystem } from './summarize-recall.ts';

/** A measured operation; it fails if the memories per call are not within `expected`. */
type Case = {
  load: string;
  order: Omit<MemoryCommand, 'limits'>;
  expected: { least: number; most: number };
  systems: readonly RecallSystem[];
  inFlight: readonly number[];
};

/** Share of the memories of the agent at the limit that fits the prompt of `prepare`. */
const BUDGET_SHARE = 0.1;

/**
 * Measures reading, selecting and writing memories in a large table, alternating with plain `pg`
 * statements on a copy of the table.
 */
export const runRecall = async (context: BenchContext): Promise<AgentsPart> => {
  const { pace, resources } = context;
  const own = resources.use(new AsyncDisposableStack());
  const stage = await openRecallStage(context, own);
  const cases = planCases(stage, pace.agents.recall.inFlight);
  const rows = await measureAll(stage, cases, context);
  const postgres = await readPostgresSettings(stage.postgres.adminUrl);
  await own.disposeAsync();
  const summary = summarizeRecall(rows);
  return {
    name: 'recall',
    config: {
      memories: stage.population.memories,
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
    checks: { memories: stage.population.memories },
    aims: judgeRecall(summary),
  };
};

const BOTH: readonly RecallSystem[] = ['plain', 'agents'];
const AGENTS: readonly RecallSystem[] = ['agents'];

const exactly = (memories: number): Case['expected'] => ({ least: memories, most: memories });

const planCases = ({ population }: RecallStage, inFlight: readonly number[]): Case[] => {
  const { owners, full } = population;
  const all = OWN_MEMORIES + GLOBAL_MEMORIES;
  const chosen = FULL_MEMORIES * BUDGET_SHARE;
  return [
    {
      load: RECALL_LOAD,
      order: { kind: 'recall', owners },
      expected: exactly(all),
      systems: BOTH,
      inFlight,
    },
    {
      load: `recall of ${FULL_MEMORIES}`,
      order: { kind: 'recall', owners: [full] },
      expected: exactly(FULL_MEMORIES),
      systems: BOTH,
      inFlight: [1],
    },
    {
      load: `prompt with 10 % of ${FULL_MEMORIES}`,
      order: { kind: 'prepare', owners: [full], contextTokens: CONTEXT_TOKENS },
      expected: { least: 0.7 * chosen, most: 1.3 * chosen },
      systems: AGENTS,
      inFlight: [1],
    },
    {
      load: 'another value of a key',
      order: { kind: 'write', owners },
      expected: exactly(1),
      systems: BOTH,
      inFlight,
    },
  ];
};

/**
 * Size of the context window. A quarter of it is for memories, which fits a tenth of the memories
 * of the agent at the limit.
 */
const CONTEXT_TOKENS = 30_000;

const measureAll = async (
  stage: RecallStage,
  cases: readonly Case[],
  { pace, log }: Pick<BenchContext, 'pace' | 'log'>,
): Promise<RecallRow[]> => {
  const rows: RecallRow[] = [];
  for (let round = 1; round <= pace.rounds; round += 1) {
    for (const { load, order, expected, systems, inFlight: counts } of cases) {
      for (const inFlight of counts) {
        for (const system of systems) {
          log(`round ${round} of ${pace.rounds}: ${system}, ${load}, ${inFlight} at once`);
          const options = { system, order, inFlight, expected };
          const measured = await measureCase(stage, options, pace.agents.recall.row);
          rows.push({ system, load, inFlight, round, ...measured });
        }
      }
    }
  }
  return rows;
};

const measureCase = async (
  { postgres, agents, plain }: RecallStage,
  what: {
    system: RecallSystem;
    order: Case['order'];
    inFlight: number;
    expected: Case['expected'];
  },
  row: { warmUpMs: number; measureMs: number; callsMax: number },
): Promise<RowMeasurement & { memoriesPerCall: number }> => {
  const { system, order, inFlight, expected } = what;
  const caller = system === 'agents' ? agents : plain;
  const limitsOf = (maxMs: number) => ({ inFlight, maxMs, maxCalls: row.callsMax });
  await caller.ask({ ...order, limits: limitsOf(row.warmUpMs) });
  const counted = { postgres: postgres.pid, [system]: caller.pid };
  const measured = await accountCpu({ counted, bystanders: {} }, () =>
    caller.ask({ ...order, limits: limitsOf(row.measureMs) }),
  );
  const { memoriesPerCall } = measured;
  if (memoriesPerCall < expected.least || memoriesPerCall > expected.most) {
    throw new Error(`${system}, ${order.kind}: ${memoriesPerCall} memories a call.`);
  }
  return measured;
};
