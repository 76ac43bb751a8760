import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine } from '../../describe-machine.ts';
import type { DebateFaults } from './run-debate-faults.ts';

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
const VIOLATIONS_SHOWN = 20;

/** Prints a row a round, and what was violated. */
export const printDebateReport = ({ rounds, papers, violations, minimum }: DebateFaults): void => {
  const rows = rounds.map(({ name, underWay, more, endedAfterMs, ...round }) => ({
    round: name,
    'under way': underWay,
    'calls more': more,
    'ended after ms': endedAfterMs,
    violations: round.violations.length,
  }));
  // The one table of this part, for people.
  console.table(rows);
  process.stdout.write(`${minimum} calls undisturbed; ${JSON.stringify(papers)}\n`);
  for (const violation of violations.slice(0, VIOLATIONS_SHOWN)) {
    process.stdout.write(`VIOLATION ${violation}\n`);
  }
  process.stdout.write(`${violations.length} violations\n`);
};

/** Writes the day's result beside the earlier ones; violations are counted, not listed. */
export const writeDebateReport = async (found: DebateFaults): Promise<void> => {
  const now = new Date();
  const { rounds, violations, ...facts } = found;
  const report = {
    date: now.toISOString(),
    machine: await describeMachine(),
    ...facts,
    rounds: rounds.map((round) => ({ ...round, violations: round.violations.length })),
    violations: violations.length,
  };
  await mkdir(RESULTS, { recursive: true });
  const file = `${RESULTS}debates-${now.toISOString().slice(0, 10)}.json`;
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`);
};
