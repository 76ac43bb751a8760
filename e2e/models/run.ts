import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openRunningSystem } from '../faults/open-running-system.ts';
import { withHome, writeResult } from '../faults/with-home.ts';
import { openJobs, MARKETS, QUESTIONS } from './jobs.ts';
import type { JobResult, Jobs } from './jobs.ts';
import { findViolations, summarize } from './judge-calls.ts';
import type { Budgets } from './judge-calls.ts';
import { openEngine } from './open-engine.ts';
import type { Engine } from './open-engine.ts';
import { openRecorder } from './open-recorder.ts';
import type { RecordedCall } from './open-recorder.ts';

const PORT = 18_470;
/** Amounts of the acceptance of a release; without `--acceptance` a run has one or two of each. */
const ACCEPTANCE = { debates: 10, markets: 5, chats: 20, turns: 3 };
const QUICK = { debates: 1, markets: 1, chats: 4, turns: 1 };

type Amounts = Record<keyof typeof QUICK, number>;

/**
 * Implements `npm run test:models`: runs debates, market analyses, chats and a simulation against a
 * real small model, checks properties of the results, and writes them to `e2e/models/results`.
 */
const main = async (): Promise<void> => {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      model: text,
      acceptance: { type: 'boolean' },
      debates: text,
      markets: text,
      chats: text,
      turns: text,
      record: text,
      start: text,
      part: text,
    },
  });
  const engine = await openEngine(process.env, { wanted: values.model, port: PORT });
  if (typeof engine === 'string') {
    process.stdout.write(`test:models is skipped: ${engine}.\n`);
    return;
  }
  const defaults = values.acceptance ? ACCEPTANCE : QUICK;
  const amounts = Object.fromEntries(
    Object.entries(defaults).map(([name, amount]) => [
      name,
      Number(values[name as keyof Amounts] ?? amount),
    ]),
  ) as Amounts;
  try {
    await withHome(`${engine.model} on ${engine.name}`, (home) =>
      run(home, { ...values, engine, amounts, start: Number(values.start ?? 0) }),
    );
  } finally {
    await engine.close();
  }
};

type Run = {
  engine: Engine;
  amounts: Amounts;
  /** Number of questions and markets that earlier parts of the run have asked. */
  start: number;
  record?: string | undefined;
  /** Name of a part of the run, whose results are stored in a file of its own. */
  part?: string | undefined;
};

const run = async (
  home: string,
  { engine, amounts, start, record, part }: Run,
): Promise<string[]> => {
  await using recorder = await openRecorder(engine.baseUrl, record);
  const env = {
    PATH: process.env['PATH'] ?? '',
    LOCAL_BASE_URL: recorder.baseUrl,
    LOCAL_MODEL: engine.model,
  };
  const system = await openRunningSystem(home, env, []);
  const results: JobResult[] = [];
  const report = openReport({ engine, amounts, part, calls: recorder.calls, results });
  try {
    const jobs = await openJobs(await system.readFile());
    for await (const result of runJobs(jobs, amounts, start)) {
      results.push(result);
      await report.store();
    }
  } finally {
    await system.stop();
  }
  return report.print();
};

async function* runJobs(jobs: Jobs, amounts: Amounts, start: number): AsyncGenerator<JobResult> {
  for (const question of take(QUESTIONS, amounts.debates, start)) yield await jobs.debate(question);
  for (const query of take(MARKETS, amounts.markets, start)) yield await jobs.market(query);
  yield* await jobs.chats(amounts.chats);
  yield await jobs.fields();
  if (amounts.turns > 0) yield await jobs.simulation(amounts.turns);
  yield await jobs.certificates();
}

type ReportSource = {
  engine: Engine;
  amounts: Amounts;
  part: string | undefined;
  calls: readonly RecordedCall[];
  results: readonly JobResult[];
};

/** Returns the report of a run. It is stored after each job, so that a run can be interrupted. */
const openReport = ({ engine, amounts, part, calls, results }: ReportSource) => {
  const { model, name } = engine;
  const budgets = JSON.parse(
    readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8'),
  ) as Budgets;
  const judge = () => {
    const problems = results.flatMap(({ job, problems: found }) =>
      found.map((problem) => `${job}: ${problem}`),
    );
    const summaries = summarize(calls);
    return {
      violations: [...problems, ...findViolations(summaries, budgets[model] ?? {})],
      calls: summaries,
    };
  };
  const store = (): Promise<string> => {
    const figures = { model, engine: name, amounts, ...judge(), results };
    const prefix = part === undefined ? `${model}-` : `${model}-${part}-`;
    return writeResult({ folder: 'models/results', prefix }, figures);
  };
  const print = async (): Promise<string[]> => {
    const { violations, calls: summaries } = judge();
    process.stdout.write(`${JSON.stringify(summaries, undefined, 2)}\n${violations.join('\n')}\n`);
    process.stdout.write(`stored in ${await store()}\n`);
    return violations;
  };
  return { store, print };
};

const take = <T>(list: readonly T[], count: number, start: number): T[] =>
  Array.from({ length: count }, (_, index) => list[(start + index) % list.length]!);

await main();
