import { setTimeout as pause } from 'node:timers/promises';
import { countReservations } from './count-reservations.ts';
import { driveLoad } from './drive-load.ts';
import type { CallRecord } from './drive-load.ts';
import { findLeftovers } from './find-leftovers.ts';
import { findViolations } from './find-violations.ts';
import type { Counts } from './find-violations.ts';
import { followChain } from './follow-chain.ts';
import type { FollowedChain } from './follow-chain.ts';
import type { FaultProvider } from './open-provider.ts';
import { openRunningSystem } from './open-running-system.ts';
import type { FaultSystem } from './open-running-system.ts';
import type { Random } from './random.ts';
import {
  COMPLETION_TIMEOUT_MS,
  countEndings,
  IN_FLIGHT,
  judgeGraceful,
  runRound,
} from './run-round.ts';
import type { Round, RoundOutcome } from './run-round.ts';

/** What the whole run found. */
export type FaultsOutcome = {
  rounds: RoundOutcome[];
  counts: Counts;
  violations: string[];
};

const ROUNDS: readonly Round[] = [
  { name: 'kill ledger', signal: 'SIGKILL', victims: ['ledger'], times: 3 },
  { name: 'kill llm-gateway', signal: 'SIGKILL', victims: ['llm-gateway'], times: 3 },
  { name: 'kill postgres', signal: 'SIGKILL', victims: ['postgres'], times: 3 },
  { name: 'kill api-gateway', signal: 'SIGKILL', victims: ['api-gateway'], times: 3 },
  {
    name: 'kill ledger and postgres',
    signal: 'SIGKILL',
    victims: ['ledger', 'postgres'],
    times: 2,
  },
  {
    name: 'kill llm-gateway and ledger',
    signal: 'SIGKILL',
    victims: ['llm-gateway', 'ledger'],
    times: 2,
  },
  {
    name: 'kill everything',
    signal: 'SIGKILL',
    victims: ['api-gateway', 'llm-gateway', 'ledger', 'postgres'],
    times: 2,
  },
  { name: 'stop ledger', signal: 'SIGTERM', victims: ['ledger'], times: 2 },
  { name: 'stop llm-gateway', signal: 'SIGTERM', victims: ['llm-gateway'], times: 2 },
  { name: 'stop api-gateway', signal: 'SIGTERM', victims: ['api-gateway'], times: 2 },
];

type Context = {
  home: string;
  provider: FaultProvider;
  random: Random;
  /** Runs only the rounds whose name holds this. */
  only: string | undefined;
};

type Books = { calls: CallRecord[]; chain: FollowedChain; outcome: FaultsOutcome };

/** Runs every round on one system, whose chain grows from round to round. */
export const runFaults = async (context: Context): Promise<FaultsOutcome> => {
  const { home, provider, only = '' } = context;
  const env = {
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'sk-faults',
    WITAN_COMPLETION_TIMEOUT_MS: String(COMPLETION_TIMEOUT_MS),
    WITAN_SWEEP_INTERVAL_MS: '200',
    LOG_LEVEL: 'warn',
  };
  const open = (): Promise<FaultSystem> => openRunningSystem(home, env);
  const books: Books = {
    calls: [],
    chain: followChain(),
    outcome: { rounds: [], counts: NO_COUNTS, violations: [] },
  };
  let system = await open();
  try {
    for (const round of ROUNDS.filter(({ name }) => name.includes(only))) {
      const { records, ...outcome } = await runRound(round, { ...context, system });
      await close(outcome, records, books, { ...context, system });
    }
    for (const shutDown of [stopWhole, stopWhileRestarting]) {
      if (!shutDown.title.includes(only)) continue;
      const { records, ...outcome } = await shutDown.run({ ...context, system });
      system = await open();
      await close(outcome, records, books, { ...context, system });
    }
  } finally {
    await system.stop();
  }
  return books.outcome;
};

const NO_COUNTS: Counts = {
  calls: 0,
  complete: 0,
  received: 0,
  certificates: 0,
  lost: 0,
  lostUnsent: 0,
};

type Running = Context & { system: FaultSystem };

/** Checks all that happened since the start of the run, and tells of what is new. */
const close = async (
  round: RoundOutcome,
  records: readonly CallRecord[],
  { calls, chain, outcome }: Books,
  { home, provider, system }: Running,
): Promise<void> => {
  calls.push(...records);
  const certificates = await chain.readOn(await system.readFile());
  const found = findViolations({ calls, received: provider.received(), certificates });
  const { settled } = await countReservations(home);
  if (settled !== certificates.length) {
    const counted = `${settled} settled reservations, ${certificates.length} certificates`;
    found.violations.push(`${round.name}: ${counted}`);
  }
  const known = new Set(outcome.violations);
  round.violations.push(...found.violations.filter((one) => !known.has(one)));
  outcome.violations.push(...round.violations);
  outcome.counts = found.counts;
  outcome.rounds.push(round);
  const verdict = round.violations.length === 0 ? 'ok' : `${round.violations.length} VIOLATIONS`;
  process.stdout.write(`${round.name}: ${verdict} ${JSON.stringify(round.endings)}\n`);
};

type ShutDown = {
  title: string;
  run: (running: Running) => Promise<RoundOutcome & { records: readonly CallRecord[] }>;
};

const WARM_MS = 1_000;
/** A killed service is being started again then. */
const RESTARTING_MS = 300;

/** SIGTERM to the whole system under load: every call in flight ends well, nothing stays behind. */
const stopWhole: ShutDown = {
  title: 'stop the system',
  run: async ({ system, home, random }) => {
    const file = await system.readFile();
    const load = driveLoad(file, {
      inFlight: IN_FLIGHT,
      random,
      name: stopWhole.title,
    });
    await pause(WARM_MS);
    const at = Date.now();
    const stopped = system.stop();
    await load.stop();
    const code = await stopped;
    return {
      name: stopWhole.title,
      calls: load.ended.length,
      endings: countEndings(load.ended),
      recoveryMs: [],
      disturbedMs: [],
      sweptMs: 0,
      violations: [
        ...judgeGraceful(load.ended, [at]),
        ...judgeEnd(stopWhole.title, code, await findLeftovers(home, file.pids)),
      ],
      records: load.ended,
    };
  },
};

/** SIGTERM while a killed service is being started again: that one must not stay behind either. */
const stopWhileRestarting: ShutDown = {
  title: 'stop the system during a restart',
  run: async ({ system, home }) => {
    const { pids } = await system.readFile();
    await system.signal(['ledger'], 'SIGKILL');
    await pause(RESTARTING_MS);
    const code = await system.stop();
    const left = await findLeftovers(home, pids);
    return {
      name: stopWhileRestarting.title,
      calls: 0,
      endings: {},
      recoveryMs: [],
      disturbedMs: [],
      sweptMs: 0,
      violations: judgeEnd(stopWhileRestarting.title, code, left),
      records: [],
    };
  },
};

const judgeEnd = (name: string, code: number | null, left: readonly number[]): string[] => {
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return [
    ...(code === 0 ? [] : [`${name}: ended with ${code ?? 'a kill after 60 s'}`]),
    ...(left.length === 0 ? [] : [`${name}: left ${left.length} processes behind`]),
  ];
};
