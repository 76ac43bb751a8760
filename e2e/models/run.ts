import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openRunningSystem } from '../faults/open-running-system.ts';
import { withHome, writeResult } from '../faults/with-home.ts';
import { openJobs, MARKETS, QUESTIONS } from './jobs.ts';
import type { JobResult } from './jobs.ts';
import { findViolations, summarize } from './judge-calls.ts';
import type { Budgets } from './judge-calls.ts';
import { openEngine } from './open-engine.ts';
import type { Engine } from './open-engine.ts';
import { openRecorder } from './open-recorder.ts';

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
  const number = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      model: number,
      acceptance: { type: 'boolean' },
      debates: number,
      markets: number,
      chats: number,
      turns: number,
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
    await withHome(`${engine.model} on ${engine.name}`, (home) => run(home, engine, amounts));
  } finally {
    await engine.close();
  }
};

const run = async (home: string, engine: Engine, amounts: Amounts): Promise<string[]> => {
  await using recorder = await openRecorder(engine.baseUrl);
  const env = {
    PATH: process.env['PATH'] ?? '',
    LOCAL_BASE_URL: recorder.baseUrl,
    LOCAL_MODEL: engine.model,
  };
  const system = await openRunningSystem(home, env, []);
  const results: JobResult[] = [];
  try {
    const jobs = await openJobs(await system.readFile());
    for (const question of take(QUESTIONS, amounts.debates)) {
      results.push(await jobs.debate(question));
    }
    for (const query of take(MARKETS, amounts.markets)) results.push(await jobs.market(query));
    results.push(...(await jobs.chats(amounts.chats)), await jobs.fields());
    if (amounts.turns > 0) results.push(await jobs.simulation(amounts.turns));
    results.push(await jobs.certificates());
  } finally {
    await system.stop();
  }
  const budgets = JSON.parse(
    readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8'),
  ) as Budgets;
  const calls = summarize(recorder.calls);
  const problems = results.flatMap(({ job, problems: found }) =>
    found.map((problem) => `${job}: ${problem}`),
  );
  const violations = [...problems, ...findViolations(calls, budgets[engine.model] ?? {})];
  const prefix = `${engine.model}-`;
  const figures = { model: engine.model, engine: engine.name, amounts, violations, calls, results };
  process.stdout.write(`${JSON.stringify(calls, undefined, 2)}\n${violations.join('\n')}\n`);
  process.stdout.write(
    `stored in ${await writeResult({ folder: 'models/results', prefix }, figures)}\n`,
  );
  return violations;
};

const take = <T>(list: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, index) => list[index % list.length]!);

await main();
