import { judgeRuns, openReplayBench, readDelivered } from '../open-replay-bench.ts';
import type { ReplayBench } from '../open-replay-bench.ts';
import type { Part, Round, RoundOutcome } from '../run-part.ts';
import { COMPANY_SCRIPT } from './company-script.ts';
import { findAdvanceViolations } from './find-advance-violations.ts';
import { runAdvance } from './run-advance.ts';
import type { AdvanceRun } from './run-advance.ts';
import { ADVANCE_STRIKES, NO_STRIKE } from './strikes.ts';
import type { AdvanceStrike } from './strikes.ts';

/** Runs one advance without faults, then one for each strike, and compares their outcomes. */
export const ADVANCE: Part = {
  summary: 'a turn of a simulation is interrupted at each of its writes',
  open: async (lab) => {
    const events = ['simulation.tick.completed', 'simulation.report.ready'];
    const bench = await openReplayBench(lab, { script: COMPANY_SCRIPT, events });
    const runs: AdvanceRun[] = [];
    return { rounds: listRounds(bench, runs), finish: () => finish(bench, runs) };
  },
};

/** Returns a round without faults, which must run first, and a round for each strike. */
const listRounds = (bench: ReplayBench, runs: AdvanceRun[]): Round[] => {
  let number = 0;
  const toRound = (strike: AdvanceStrike): Round => ({
    name: strike.name,
    run: async () => {
      number += 1;
      const run = await runAdvance(number, strike, bench);
      runs.push(run);
      return judgeRun(run, runs[0]!);
    },
  });
  return [{ ...toRound(NO_STRIKE), isRequired: true }, ...ADVANCE_STRIKES.map(toRound)];
};

const judgeRun = ({ evidence, tookMs }: AdvanceRun, baseline: AdvanceRun): RoundOutcome => {
  const { outcome = '', calls: expectedCalls } = baseline.evidence;
  if (expectedCalls.length === 0) throw new Error('No call was recognised as its own.');
  const { calls, statuses } = evidence;
  const extraCalls = calls.length - expectedCalls.length;
  return {
    figures: { calls: calls.length, extraCalls, statuses, tookMs },
    violations: findAdvanceViolations({ ...evidence, expected: { outcome, calls: expectedCalls } }),
  };
};

const finish = async (bench: ReplayBench, runs: readonly AdvanceRun[]): Promise<RoundOutcome> => {
  const webhookViolations = await judgeWebhooks(runs, bench);
  const proofIds = runs.flatMap((run) => run.proofIds);
  const { figures, violations } = await judgeRuns(bench, proofIds);
  const minimum = runs[0]?.evidence.calls.length ?? 0;
  return {
    figures: { minimum, ...figures },
    violations: [...webhookViolations, ...violations],
  };
};

/**
 * Returns a violation for each simulation whose delivered webhooks differ from the events in its
 * outbox.
 */
const judgeWebhooks = async (
  runs: readonly AdvanceRun[],
  bench: ReplayBench,
): Promise<string[]> => {
  const count = runs.reduce((sum, { evidence }) => sum + evidence.events.length, 0);
  const delivered = await readDelivered<{ simulationId: string }>(bench, {
    count,
    idOf: ({ simulationId }) => simulationId,
  });
  return runs.flatMap(({ simulationId, evidence }) => {
    const own = (delivered.get(simulationId) ?? []).map(({ event }) => event);
    const posted = own.toSorted().join(', ');
    const emitted = evidence.events.toSorted().join(', ');
    return posted === emitted ? [] : [`${simulationId}: webhooks ${posted}, not ${emitted}`];
  });
};
