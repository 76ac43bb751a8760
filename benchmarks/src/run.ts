// npm run bench [-- ledger|gateway|webhooks|agents|debates|simulation|knowledge|vectors|
// meaning|verification|console|neighbours|profile... --rows A,B --at N,M --guard --quick]:
// measures, prints, writes the results.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runAgents } from './agents/run-agents.ts';
import { CannotMeasure, RowsFailed } from './bench.ts';
import type { Bench, BenchContext } from './bench.ts';
import { runConsole } from './console/run-console.ts';
import { runDebates } from './debates/run-debates.ts';
import { GATEWAY_LOADS } from './gateway/gateway-loads.ts';
import type { RowChoice } from './gateway/gateway-loads.ts';
import { openStateDir } from './gateway/open-systems.ts';
import { runGuard } from './gateway/guard/run-guard.ts';
import { runGateway } from './gateway/run-gateway.ts';
import { runKnowledge } from './knowledge/run-knowledge.ts';
import { runLedger } from './ledger/run-ledger.ts';
import { describeCommit, describeMachine } from './machine.ts';
import { runNeighbours } from './neighbours/run-neighbours.ts';
import { FULL, QUICK } from './preset.ts';
import type { Preset } from './preset.ts';
import {
  profileAgents,
  profileDebates,
  profileWebhooks,
  runProfile,
} from './profile/run-profile.ts';
import { runMeaning } from './meaning/run-meaning.ts';
import { printReport } from './report/print-report.ts';
import { writeResult } from './report/result-file.ts';
import { runSimulation } from './simulation/measure-advances.ts';
import { runVectors } from './vectors/run-vectors.ts';
import { runVerification } from './verification/run-verification.ts';
import { runWebhooks } from './webhooks/run-webhooks.ts';

const BENCHES: Readonly<Record<string, Bench>> = {
  ledger: runLedger,
  gateway: runGateway,
  webhooks: runWebhooks,
  agents: runAgents,
  debates: runDebates,
  simulation: runSimulation,
  knowledge: runKnowledge,
  vectors: runVectors,
  meaning: runMeaning,
  verification: runVerification,
  console: runConsole,
  neighbours: runNeighbours,
};
/**
 * Benchmarks that run only if named: `knowledge` takes longer than all other benchmarks together,
 * `vectors` serves decision 0043, `meaning` needs an embedding model, `console` a browser, and
 * `neighbours` hostile callers.
 */
const ONLY_BY_NAME = ['knowledge', 'vectors', 'meaning', 'console', 'neighbours'];
/** What `gateway --guard` runs. */
const GUARD = 'guard';
/** Profiles of CPU use and the guard, which print and write no result file. */
const PRINTED: Readonly<Record<string, (context: BenchContext) => Promise<void>>> = {
  [GUARD]: runGuard,
  profile: runProfile,
  'profile-webhooks': profileWebhooks,
  'profile-agents': profileAgents,
  'profile-debates': profileDebates,
};
const DEFAULT_BENCHES = Object.keys(BENCHES).filter((name) => !ONLY_BY_NAME.includes(name));
const LOAD_NAMES = GATEWAY_LOADS.map(({ name }) => name);
const USAGE = `Usage: npm run bench -- [ledger] [gateway] [webhooks] [agents] [debates]
         [simulation] [knowledge] [vectors] [meaning] [verification] [console] [neighbours]
         [profile] [profile-webhooks] [profile-agents] [profile-debates] [--rows A,B] [--at N,M]
         [--guard] [--quick]
  Without names: all but knowledge, vectors, meaning, console and neighbours. The profiles show
  CPU use by function: of ledger and gateway, of the notifier, of chat turns, and of debates.
  --rows measures (or profiles) only these loads of the gateway, --at only so many in flight;
  neither writes a result. Loads: ${LOAD_NAMES.join(', ')}.
  --guard, only with gateway, compares multiples of floor-work with the newest result, and
  exits with 1 if a row got worse; it writes no result.
  --quick is a smoke test of a minute that writes no result.
`;
/** Maximum of `--at`: the number of connections that the clients open. */
const IN_FLIGHT_MAX = 256;

const log = (line: string): void => void process.stderr.write(`  ${line}\n`);

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      rows: { type: 'string' },
      at: { type: 'string' },
      guard: { type: 'boolean', default: false },
    },
  });
  const choice: RowChoice = { loads: readLoads(values.rows), inFlight: readInFlight(values.at) };
  const defaults = isNarrowed(choice) ? ['gateway'] : DEFAULT_BENCHES;
  const isGuard = values.guard && positionals.join() === 'gateway' && !isNarrowed(choice);
  if (values.guard && !isGuard) throw new UsageError(`--guard goes with gateway alone.\n${USAGE}`);
  const named = positionals.length > 0 ? positionals : defaults;
  const names = isGuard ? [GUARD] : named;
  const unknown = names.find((name) => !PRINTED[name] && !BENCHES[name]);
  if (unknown) throw new UsageError(`There is no benchmark "${unknown}".\n${USAGE}`);
  if (process.platform !== 'linux') {
    throw new UsageError('CPU time is read from /proc: run the benchmarks on Linux.\n');
  }
  const preset = values.quick ? QUICK : FULL;
  await using resources = new AsyncDisposableStack();
  const aborted = rejectOnAbort(toRunMs(preset, names), resources);
  const peers = process.env['WITAN_BENCH_PEERS'];
  const peersDir = peers ? resolve(peers) : undefined;
  await Promise.race([aborted, runAll(names, { preset, choice, peersDir, log }, resources)]);
};

const readLoads = (text: string | undefined): string[] | undefined => {
  const loads = text?.split(',');
  const unknown = loads?.find((name) => !LOAD_NAMES.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no load "${unknown}".\n${USAGE}`);
  return loads;
};

const readInFlight = (text: string | undefined): number[] | undefined => {
  const counts = text?.split(',').map(Number);
  if (counts?.every((one) => Number.isInteger(one) && one >= 1 && one <= IN_FLIGHT_MAX) ?? true) {
    return counts;
  }
  throw new UsageError(`--at takes whole numbers from 1 to ${IN_FLIGHT_MAX}, not "${text}".\n`);
};

const isNarrowed = ({ loads, inFlight }: RowChoice): boolean =>
  loads !== undefined || inFlight !== undefined;

class UsageError extends Error {}

/** Thrown on timeout or interruption; printed without a stack trace. */
class RunAborted extends Error {}

const toRunMs = ({ runMs, knowledge }: Preset, names: readonly string[]): number =>
  runMs + (names.includes('knowledge') ? knowledge.moreMs : 0);

/** Rejects with RunAborted on timeout or interruption, so that the caller closes open resources. */
const rejectOnAbort = (runMs: number, resources: AsyncDisposableStack): Promise<never> =>
  new Promise((_resolve, reject) => {
    const onSignal = (signal: string): void => reject(new RunAborted(`Interrupted by ${signal}.`));
    const timeoutMessage = `The run took longer than ${runMs / 1000} s.`;
    const timer = setTimeout(() => reject(new RunAborted(timeoutMessage)), runMs);
    process.once('SIGINT', onSignal);
    process.once('SIGTERM', onSignal);
    resources.defer(() => clearTimeout(timer));
  });

const runAll = async (
  names: readonly string[],
  options: Pick<BenchContext, 'preset' | 'choice' | 'peersDir' | 'log'>,
  resources: AsyncDisposableStack,
): Promise<void> => {
  for (const name of names) {
    // Disposed before the next benchmark starts, or with all resources if the run is interrupted.
    const ownResources = resources.use(new AsyncDisposableStack());
    const stateDir = await openStateDir(ownResources);
    const context = { ...options, stateDir, resources: ownResources };
    const print = PRINTED[name];
    if (print) await print(context);
    else await runOne(name, BENCHES[name]!, context);
    await ownResources.disposeAsync();
  }
};

const runOne = async (name: string, bench: Bench, context: BenchContext): Promise<void> => {
  const startedAt = new Date();
  const machine = describeMachine(context.stateDir);
  const commit = describeCommit();
  const { preset, choice } = context;
  const { config, tables, ...result } = await bench(context);
  printReport(name, tables, result.aims);
  log(`checked: ${JSON.stringify(result.checks)}`);
  if (preset.name === 'quick') log('--quick: no result is written');
  else if (isNarrowed(choice)) log('not all of its rows: no result is written');
  else {
    const metadata = { benchmark: name, date: startedAt.toISOString(), machine, commit };
    const seconds = (Date.now() - startedAt.getTime()) / 1000;
    const all = { ...metadata, config: { ...config, preset, seconds }, ...result };
    log(`written to ${await writeResult(name, startedAt, all)}`);
  }
  const failed = result.failures ?? [];
  if (failed.length > 0) throw new RowsFailed(`Failed:\n  ${failed.join('\n  ')}`);
};

/** Errors that are printed without a stack trace. */
const EXPECTED_ERRORS = [UsageError, RunAborted, CannotMeasure, RowsFailed];

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const isExpected = EXPECTED_ERRORS.some((expected) => error instanceof expected);
    const text = error instanceof Error && !isExpected ? error.stack : (error as Error).message;
    process.stderr.write(`${text}\n`);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
