import type { SystemFile } from '@witan/stack';
import { readPath } from './config.ts';
import { openProcessSystem } from './open-process-system.ts';
import type { ProcessSystem } from './open-process-system.ts';
import { openRunningSystem } from './open-running-system.ts';
import type { FaultSystem } from './open-running-system.ts';
import { createRandom } from '@witan/testing/create-random';
import type { Random } from '@witan/testing/create-random';

export type PartOptions = {
  home: string;
  seed: number;
  /** Only required rounds and rounds whose name contains this text are run. */
  only: string;
  /** Maximum number of rounds, not counting those that are required. */
  rounds: number;
};

export type PartReport = {
  figures: object;
  rounds: readonly (RoundOutcome & { name: string })[];
  violations: readonly string[];
};

/** Maximum number of violations that are printed for each round. */
const SHOWN_PER_ROUND = 5;
/** Maximum number of violations that are printed at the end. */
const SHOWN = 20;
const LENGTH_MAX = 400;

/** Runs the selected rounds of a part one after another, prints each, and checks the whole. */
export const runPart = async (part: Part, options: PartOptions): Promise<PartReport> => {
  await using resources = new AsyncDisposableStack();
  const lab = createLab(options, resources);
  const { rounds, finish } = await part.open(lab);
  const finished: (RoundOutcome & { name: string })[] = [];
  for await (const round of select(rounds, options)) {
    const outcome = await runRound(round);
    finished.push(outcome);
    printRound(outcome);
  }
  const { figures, violations } = await finish();
  const all = [...finished.flatMap((round) => round.violations), ...violations];
  return { figures, rounds: finished, violations: all };
};

const createLab = ({ home, seed }: PartOptions, resources: AsyncDisposableStack): Lab => ({
  home,
  random: createRandom(seed),
  resources,
  openSystem: async (env) => {
    const system = await openRunningSystem(home, { PATH: readPath(), ...env });
    resources.defer(async () => void (await system.stop()));
    return { ...(await system.readFile()), ...system };
  },
  openProcess: async (env) => {
    const system = await openProcessSystem(home, env);
    resources.defer(async () => void (await system.stop()));
    return { ...(await system.readFile()), ...system };
  },
});

async function* select(
  rounds: OpenPart['rounds'],
  { only, rounds: countMax }: PartOptions,
): AsyncGenerator<Round> {
  let count = 0;
  for await (const round of rounds) {
    const isWanted = round.name.includes(only) && count < countMax;
    if (isWanted && !round.isRequired) count += 1;
    if (isWanted || round.isRequired) yield round;
  }
}

/** An error of one round counts as a violation, so that the next rounds still run. */
const runRound = async ({ name, run }: Round): Promise<RoundOutcome & { name: string }> => {
  try {
    const { figures, violations } = await run();
    return { name, figures, violations: violations.map((one) => `${name}: ${one}`) };
  } catch (error) {
    return { name, figures: {}, violations: [`${name}: ${String(error)}`] };
  }
};

const printRound = ({ name, figures, violations }: RoundOutcome & { name: string }): void => {
  const verdict = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`;
  process.stdout.write(`${name}: ${verdict} ${JSON.stringify(figures)}\n`);
  for (const one of violations.slice(0, SHOWN_PER_ROUND)) process.stdout.write(`  ${one}\n`);
};

/** Prints a table with a row for each round, the totals, and the first violations. */
export const printReport = ({ rounds, figures, violations }: PartReport): void => {
  const rows = rounds.map((round) => ({
    round: round.name,
    ...toCells(round.figures),
    violations: round.violations.length,
  }));
  console.table(rows);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  for (const violation of violations.slice(0, SHOWN)) {
    process.stdout.write(`VIOLATION ${violation.slice(0, LENGTH_MAX)}\n`);
  }
  process.stdout.write(`${violations.length} violations\n`);
};

/** Returns one cell for each figure; an object becomes a cell for each of its members. */
const toCells = (figures: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(figures).flatMap(([name, value]: [string, unknown]) => {
      if (Array.isArray(value)) return [[name, value.join(' ')]];
      return typeof value === 'object' && value !== null ? Object.entries(value) : [[name, value]];
    }),
  );

/** Resources that the runner passes to a part. */
export type Lab = {
  /** Folder of the system's state and logs. */
  home: string;
  random: Random;
  /** Everything that the part opens; closed after the part's `finish`. */
  resources: AsyncDisposableStack;
  /**
   * Starts a system with one process per service, which needs a nats-server on the `PATH` of this
   * process.
   */
  openSystem: (env: Readonly<Record<string, string>>) => Promise<FaultSystem & SystemFile>;
  /** Starts a system in one process, which is started again whenever it ends. */
  openProcess: (env: Readonly<Record<string, string>>) => Promise<ProcessSystem & SystemFile>;
};

/** Measurements of a round, which the table and the result file contain, and its violations. */
export type RoundOutcome = { figures: object; violations: readonly string[] };

/** One fault, or one other disturbance, under load. */
export type Round = {
  name: string;
  /** Set if the round runs even if it is not selected, because other rounds depend on it. */
  isRequired?: true;
  run: () => Promise<RoundOutcome>;
};

/** A kind of load, with rounds that disturb it and checks of the stored data. */
export type Part = {
  /** Shown by `--help`. */
  summary: string;
  open: (lab: Lab) => Promise<OpenPart>;
};

export type OpenPart = {
  /** The next round is requested after the one before has run. */
  rounds: Iterable<Round> | AsyncIterable<Round>;
  /** Checks everything that the rounds have stored. Called once, after the last round. */
  finish: () => Promise<RoundOutcome>;
};
