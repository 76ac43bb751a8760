import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { EventFaults } from './run-event-faults.ts';
import { EVERY_MS } from './run-event-round.ts';

export const printEventReport = ({ rounds, violations }: EventFaults): void => {
  const rows = rounds.map(({ name, crashes, counts, latency, drainedMs, ...round }) => ({
    round: name,
    crashes,
    facts: counts.committed,
    posts: counts.posts,
    repeated: counts.repeated,
    'p50 ms': latency.p50,
    'p95 ms': latency.p95,
    'slowest ms': latency.max,
    'drained after ms': drainedMs,
    violations: round.violations.length,
  }));
  console.table(rows);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeEventReport = (found: EventFaults & { seed: number }): Promise<void> => {
  const count = <T extends { violations: readonly string[] }>(one: T) => ({
    ...one,
    violations: one.violations.length,
  });
  return writeResult('facts', {
    seed: found.seed,
    factEveryMs: EVERY_MS,
    rounds: found.rounds.map(count),
    schedule: found.schedule && count(found.schedule),
    hanging: found.hanging && count(found.hanging),
    violations: found.violations.length,
  });
};
