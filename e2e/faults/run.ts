import { parseArgs } from 'node:util';
import { ADVANCE } from './advance/advance.ts';
import { COMPLETIONS } from './completions/completions.ts';
import { DEBATES } from './debates/debates.ts';
import { FACTS, FACTS_IN_PROCESS } from './facts/facts.ts';
import { FLOWS } from './flows/flows.ts';
import { LOG } from './log/log.ts';
import { MCP } from './mcp/mcp.ts';
import type { Part } from './run-part.ts';
import { ROLLING } from './rolling/rolling.ts';
import { printReport, runPart } from './run-part.ts';
import { chooseSeed, withHome, writeResult } from './with-home.ts';

const PARTS: Readonly<Record<string, Part>> = {
  completions: COMPLETIONS,
  facts: FACTS,
  'facts-in-process': FACTS_IN_PROCESS,
  debates: DEBATES,
  advance: ADVANCE,
  flows: FLOWS,
  log: LOG,
  mcp: MCP,
  rolling: ROLLING,
};

const USAGE = `Usage: npm run faults -- [--part NAME] [--only TEXT] [--rounds N] [--seed N]
  Injects faults into running systems and checks their guarantees; exits with 1 if one is violated.
  --part    only this part
  --only    only rounds whose name contains the text; writes no result
  --rounds  at most so many rounds of each part; writes no result
  --seed    repeats the random choices of a run
Parts:
${Object.entries(PARTS)
  .map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}\n`)
  .join('')}`;

const OPTIONS = {
  part: { type: 'string' },
  only: { type: 'string' },
  rounds: { type: 'string' },
  seed: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Implements `npm run faults`. */
const main = async (): Promise<void> => {
  const { part, only, rounds, help, ...options } = parseArgs({ options: OPTIONS }).values;
  if (help) return void process.stdout.write(USAGE);
  const names = part === undefined ? Object.keys(PARTS) : [part];
  const unknown = names.find((name) => !PARTS[name]);
  if (unknown !== undefined) throw new Error(`There is no part "${unknown}".\n${USAGE}`);
  const selection = { only: only ?? '', rounds: rounds === undefined ? Infinity : Number(rounds) };
  if (!(selection.rounds >= 1)) throw new Error(`--rounds takes a number, not "${rounds}".`);
  const seed = chooseSeed(options.seed);
  for (const name of names) {
    await withHome(`${name}: seed ${seed}`, async (home) => {
      const report = await runPart(PARTS[name]!, { home, seed, ...selection });
      printReport(report);
      const isCompleteRun = only === undefined && rounds === undefined;
      if (isCompleteRun) await writeReport(name, seed, report);
      return report.violations;
    });
  }
};

/** Writes today's result file, with the number of violations instead of their texts. */
const writeReport = async (
  part: string,
  seed: number,
  { figures, rounds, violations }: Awaited<ReturnType<typeof runPart>>,
): Promise<void> => {
  const path = await writeResult(
    { folder: 'faults/results', prefix: `${part}-` },
    {
      seed,
      ...figures,
      rounds: rounds.map(({ name, ...round }) => ({
        name,
        ...round.figures,
        violations: round.violations.length,
      })),
      violations: violations.length,
    },
  );
  process.stdout.write(`written to ${path}\n`);
};

await main();
