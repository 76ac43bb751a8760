import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { EventReport } from './run-event-faults.ts';
import { EVENT_INTERVAL_MS } from './run-event-fault.ts';

export const printEventReport = ({ rounds, violations }: EventReport): void => {
  const rows = rounds.map(({ name, crashes, counts, latency, drainedMs, ...fault }) => ({
    fault: name,
    crashes,
    events: counts.committed,
    posts: counts.posts,
    repeated: counts.repeated,
    'p50 ms': latency.p50,
    'p95 ms': latency.p95,
    'slowest ms': latency.max,
    'drained after ms': drainedMs,
    violations: fault.violations.length,
  }));
  console.table(rows);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeEventReport = (found: EventReport & { seed: number }): Promise<void> => {
  const count = <T extends { violations: readonly string[] }>(one: T) => ({
    ...one,
    violations: one.violations.length,
  });
  return writeResult('facts', {
    seed: found.seed,
    eventIntervalMs: EVENT_INTERVAL_MS,
    rounds: found.rounds.map(count),
    schedule: found.schedule && count(found.schedule),
    hanging: found.hanging && count(found.hanging),
    violations: found.violations.length,
  });
};
