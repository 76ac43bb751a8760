import { replaceIdsAndTimes } from '../judge-replay.ts';
import type { CommitWatch } from '../open-commit-watch.ts';
import type { ReplayBench } from '../open-replay-bench.ts';
import { query } from '../query.ts';
import type { Pace } from '../scripted-model.ts';
import { strikeAtWrites } from '../strike-at-writes.ts';
import { untilReady } from '../strike.ts';
import type { AdvanceEvidence } from './find-advance-violations.ts';
import { openWriteWatch } from './open-write-watch.ts';
import type { Write } from './open-write-watch.ts';
import {
  advanceUntilMade,
  createSimulation,
  readSimulation,
  TURN_MADE_STATUSES,
} from './simulation-calls.ts';
import type { AdvancedSimulation } from './simulation-calls.ts';
import type { AdvanceStrike } from './strikes.ts';

export type AdvanceRun = {
  simulationId: string;
  evidence: Omit<AdvanceEvidence, 'expected'>;
  /** Proof ids in the simulation's states and report. */
  proofIds: readonly string[];
  /** Time from the client's first attempt to the end of its last attempt, in milliseconds. */
  tookMs: number;
};

/**
 * Creates a simulation, strikes while a client retries its only turn, and returns the evidence that
 * `findAdvanceViolations` checks.
 */
export const runAdvance = async (
  number: number,
  strike: AdvanceStrike,
  bench: ReplayBench,
): Promise<AdvanceRun> => {
  const { system, model } = bench;
  const { databaseUrl } = system;
  await untilReady(system);
  const { id, scenarios } = await createSimulation(bench, number);
  await using watch = await openWriteWatch(databaseUrl, scenarios);
  const listCallKeys = (): string[] => model.callsOf(number).map(({ key }) => key);
  const findUnstoredCalls = (): string[] =>
    strike.repeats === 'exactly'
      ? findLostReport(listCallKeys(), watch.commits())
      : [...new Set(listCallKeys())];
  model.setPace(strike.pace ?? createPaceByWrites(watch));
  if (strike.block !== undefined) await watch.block(strike.block);
  const startedAt = Date.now();
  const pendingStatuses = advanceUntilMade(bench, id);
  const { injectedFaults } = await strikeAtWrites(strike, { system, watch, findUnstoredCalls });
  const statuses = await pendingStatuses;
  const tookMs = Date.now() - startedAt;
  await untilReady(system);
  const isTurnMade = TURN_MADE_STATUSES.includes(statuses.at(-1)!);
  const advanced = isTurnMade ? await readSimulation(bench, id) : undefined;
  return {
    simulationId: id,
    evidence: {
      outcome: advanced && toOutcome(advanced),
      hasAllAgents: advanced?.simulation.states.every(hasAllAgents) ?? false,
      mayMissAgents: strike.mayMissAgents ?? false,
      isReplayEqual: advanced?.replay.matches ?? false,
      calls: listCallKeys(),
      injectedFaults,
      events: await readEvents(databaseUrl, id),
      statuses,
    },
    proofIds: advanced
      ? [...advanced.simulation.states, advanced.report].flatMap(({ proofs }) => proofs)
      : [],
    tookMs,
  };
};

/** Delays the second scenario's panel until the first scenario's decision is stored. */
const createPaceByWrites =
  ({ whenCommitted }: CommitWatch<Write>): Pace =>
  async ({ scenario: current }) => {
    if (current !== 'Bust') return;
    await whenCommitted(({ kind, scenario }) => kind === 'council' && scenario === 'Calm');
  };

/**
 * Returns the keys of the calls that a killed simulation service must repeat: the call that writes
 * the report, unless the report is stored. The answers of panels are stored in the agents service.
 */
const findLostReport = (keys: readonly string[], writes: readonly Write[]): string[] =>
  keys.includes('report') && !writes.some(({ kind }) => kind === 'report') ? ['report'] : [];

const hasAllAgents = ({ decisions }: AdvancedSimulation['simulation']['states'][0]): boolean =>
  decisions.absentAgents.length === 0 && !decisions.fallback;

/** Returns a text that is equal for equivalent advances. */
const toOutcome = ({ simulation, report }: AdvancedSimulation): string => {
  const text = JSON.stringify({ simulation, report }, undefined, 1);
  return replaceIdsAndTimes(text, ['sim', 'scn', 'sta', 'pf', 'dbt']).replaceAll(
    /Company [b-m]{2}\b/g,
    'Company',
  );
};

const EVENTS_SQL = `
  SELECT type FROM simulation.outbox
  WHERE position(convert_to($1, 'UTF8') IN payload) > 0 ORDER BY position`;

const readEvents = async (databaseUrl: string, simulationId: string): Promise<string[]> =>
  (await query<{ type: string }>(databaseUrl, EVENTS_SQL, [simulationId])).map(({ type }) => type);
