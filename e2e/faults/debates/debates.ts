import { judgeRuns, LEASE_MS, openReplayBench, readDelivered } from '../open-replay-bench.ts';
import type { ReplayBench } from '../open-replay-bench.ts';
import type { Part, Round, RoundOutcome } from '../run-part.ts';
import { COUNCIL_SCRIPT } from './council-script.ts';
import { findDebateViolations } from './find-debate-violations.ts';
import { runDebate } from './run-debate.ts';
import type { DebateRun } from './run-debate.ts';
import { createStrikes, NO_STRIKE } from './strikes.ts';
import type { DebateStrike } from './strikes.ts';

/** Runs one debate without faults, then one for each strike, and compares their outcomes. */
export const DEBATES: Part = {
  summary: 'a debate is interrupted at each of its writes',
  open: async (lab) => {
    const events = ['debate.synthesized'];
    const bench = await openReplayBench(lab, { script: COUNCIL_SCRIPT, events });
    const runs: DebateRun[] = [];
    return { rounds: listRounds(bench, runs), finish: () => finish(bench, runs) };
  },
};

/** Yields a round without faults, which must run first, and a round for each strike. */
function* listRounds(bench: ReplayBench, runs: DebateRun[]): Generator<Round> {
  let number = 0;
  const toRound = (strike: DebateStrike): Round => ({
    name: strike.name,
    run: async () => {
      number += 1;
      const run = await runDebate(number, strike, bench);
      runs.push(run);
      return judgeRun(run, strike, runs[0]!);
    },
  });
  yield { ...toRound(NO_STRIKE), isRequired: true };
  if (runs[0]) yield* createStrikes(runs[0].steps).map(toRound);
}

const judgeRun = (
  { evidence, violations, endedAfterMs }: DebateRun,
  strike: DebateStrike,
  baseline: DebateRun,
): RoundOutcome => {
  const { outcome = '', calls } = baseline.evidence;
  const inFlight = evidence.injectedFaults.flatMap(({ unstoredCalls }) => unstoredCalls);
  const mayMissAnswer = strike.mayMissAnswer ?? false;
  const judged = findDebateViolations({ ...evidence, mayMissAnswer, expected: { outcome, calls } });
  return {
    figures: {
      calls: evidence.calls.length,
      // Model calls in excess of those of the debate without faults.
      extraCalls: evidence.calls.length - calls.length,
      // Calls whose outcome was not stored at the strike, so that they may be repeated.
      callsInFlight: inFlight.length,
      endedAfterMs,
    },
    violations: [...violations, ...judged],
  };
};

const finish = async (bench: ReplayBench, runs: readonly DebateRun[]): Promise<RoundOutcome> => {
  const deliveryViolations = await judgeDeliveries(runs, bench);
  const proofIds = runs.flatMap((run) => run.proofIds);
  const { figures, violations } = await judgeRuns(bench, proofIds);
  const minimum = runs[0]?.evidence.calls.length ?? 0;
  return {
    figures: { leaseMs: LEASE_MS, minimum, ...figures },
    violations: [...deliveryViolations, ...violations],
  };
};

/**
 * Returns a violation for each debate whose webhook deliveries differ in number from its events in
 * the outbox, or contain a synthesis that is not in its outcome.
 */
const judgeDeliveries = async (
  runs: readonly DebateRun[],
  bench: ReplayBench,
): Promise<string[]> => {
  type Data = { conversationId: string; synthesis: string };
  const count = runs.filter(({ evidence }) => evidence.stored.events > 0).length;
  const delivered = await readDelivered<Data>(bench, {
    count,
    idOf: ({ conversationId }) => conversationId,
  });
  return runs.flatMap(({ conversationId, evidence: { stored, outcome } }) => {
    const posts = delivered.get(conversationId) ?? [];
    const hasSameSynthesis = posts.every(({ data }) =>
      outcome?.includes(JSON.stringify(data.synthesis).slice(1, -1)),
    );
    return [
      ...(posts.length === stored.events
        ? []
        : [`${conversationId}: ${posts.length} deliveries, not ${stored.events}`]),
      ...(hasSameSynthesis ? [] : [`${conversationId}: a delivery has another synthesis`]),
    ];
  });
};
