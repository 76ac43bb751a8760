import { setTimeout as pause } from 'node:timers/promises';
import { countReservations } from './count-reservations.ts';
import { driveLoad } from './drive-load.ts';
import { findOpenCalls, retryOpenKeys } from './drive-retries.ts';
import { findChargeViolations } from './find-charge-violations.ts';
import type { Charges } from './find-charge-violations.ts';
import { findOpenKeys } from './find-key-violations.ts';
import { findLeftovers } from '../find-leftovers.ts';
import { findViolations } from './find-violations.ts';
import type { Counts } from './find-violations.ts';
import { openChainReader } from './follow-chain.ts';
import type { ChainReader } from './follow-chain.ts';
import type { FaultProvider } from './open-provider.ts';
import { untilNoOpenReservation } from '../until-no-open-reservation.ts';
import { meteredEnvironment } from '../metered-environment.ts';
import { openRunningSystem } from '../open-running-system.ts';
import type { FaultSystem } from '../open-running-system.ts';
import type { Random } from '../random.ts';
import { readLedgerViolations } from './read-ledger-violations.ts';
import { readLedger } from './read-ledger.ts';
import { COMPLETION_FAULTS } from './completion-faults.ts';
import type { CallRecord } from './run-call.ts';
import {
  COMPLETION_TIMEOUT_MS,
  countEndings,
  IN_FLIGHT,
  findInterruptedCalls,
  runFault,
  SWEPT_LIMIT_MS,
} from './run-fault.ts';
import type { FaultOutcome } from './run-fault.ts';

export type CompletionReport = {
  rounds: FaultOutcome[];
  counts: Counts;
  charges: Charges;
  violations: string[];
};

/**
 * Lease of an idempotent call at the edge: the completion timeout, 90 s for other calls of a chat
 * turn, 120 s for a busy simulation, and 60 s of margin.
 */
const LEASE_MS = COMPLETION_TIMEOUT_MS + 270_000;
/** Maximum number of violations that are printed for each fault. */
const VIOLATIONS_SHOWN = 5;
/** Time for the last retry of each key after all leases have expired, in milliseconds. */
const RETURN_MARGIN_MS = 20_000;

type Context = {
  home: string;
  provider: FaultProvider;
  random: Random;
  /** If set, only faults whose name contains this text are run. */
  only: string | undefined;
};

type RunState = { calls: CallRecord[]; chain: ChainReader; outcome: CompletionReport };

/**
 * Injects the faults one after another into one system. After each fault, checks all calls so far
 * and the whole chain.
 */
export const runFaults = async (context: Context): Promise<CompletionReport> => {
  const { home, provider, only = '' } = context;
  const env = {
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'sk-faults',
    ...meteredEnvironment(COMPLETION_TIMEOUT_MS),
  };
  const open = (): Promise<FaultSystem> => openRunningSystem(home, env);
  const state: RunState = {
    calls: [],
    chain: openChainReader(),
    outcome: { rounds: [], counts: NO_COUNTS, charges: NO_CHARGES, violations: [] },
  };
  let system = await open();
  try {
    for (const fault of COMPLETION_FAULTS.filter(({ name }) => name.includes(only))) {
      const { records, ...outcome } = await runFault(fault, { ...context, system });
      await recordFaultOutcome(outcome, records, state, { ...context, system });
    }
    if (findOpenCalls(state.calls).length > 0) {
      const { records, ...outcome } = await retryOpenCalls(state.calls, { ...context, system });
      await recordFaultOutcome(outcome, records, state, { ...context, system });
    }
    for (const shutDown of [stopSystem, stopWhileRestarting]) {
      if (!shutDown.title.includes(only)) continue;
      const { records, ...outcome } = await shutDown.run({ ...context, system });
      system = await open();
      await recordFaultOutcome(outcome, records, state, { ...context, system });
    }
  } finally {
    await system.stop();
  }
  return state.outcome;
};

const NO_COUNTS: Counts = {
  calls: 0,
  complete: 0,
  received: 0,
  certificates: 0,
  lost: 0,
  lostUnsent: 0,
  endedUnsent: 0,
  unanswered: 0,
  paidAgain: 0,
};
const NO_CHARGES: Charges = { charged: 0, overrun: 0, unpaid: 0, entries: 0 };

type RunContext = Context & { system: FaultSystem };

/**
 * Adds the results of a fault, checks all calls since the start of the run, and prints new
 * violations.
 */
const recordFaultOutcome = async (
  fault: FaultOutcome,
  records: readonly CallRecord[],
  { calls, chain, outcome }: RunState,
  { home, provider, system }: RunContext,
): Promise<void> => {
  calls.push(...records);
  const file = await system.readFile();
  const certificates = await chain.readAll(file);
  const found = findViolations({ calls, received: provider.received(), certificates });
  const { settled } = await countReservations(home);
  if (settled !== certificates.length) {
    const counted = `${settled} settled reservations, ${certificates.length} certificates`;
    found.violations.push(`${fault.name}: ${counted}`);
  }
  const { received, lostUnsent, endedUnsent } = found.counts;
  if (received + lostUnsent + endedUnsent !== certificates.length) {
    const unsent = `${lostUnsent} lost and ${endedUnsent} ended before egress`;
    const counted = `${received} calls received, ${certificates.length} certificates, ${unsent}`;
    found.violations.push(`${fault.name}: ${counted}`);
  }
  const chargeResult = findChargeViolations(certificates, await readLedger(home));
  found.violations.push(...chargeResult.violations, ...(await readLedgerViolations(home, file)));
  const known = new Set(outcome.violations);
  fault.violations.push(...found.violations.filter((one) => !known.has(one)));
  outcome.violations.push(...fault.violations);
  outcome.counts = found.counts;
  outcome.charges = chargeResult.charges;
  outcome.rounds.push(fault);
  const verdict = fault.violations.length === 0 ? 'ok' : `${fault.violations.length} VIOLATIONS`;
  process.stdout.write(`${fault.name}: ${verdict} ${JSON.stringify(fault.endings)}\n`);
  for (const one of fault.violations.slice(0, VIOLATIONS_SHOWN)) process.stdout.write(`  ${one}\n`);
};

/**
 * Retries calls without a final response until the leases of killed processes have expired. Returns
 * a violation for each key that has no final response even then.
 */
const retryOpenCalls = async (
  calls: readonly CallRecord[],
  { system, home }: RunContext,
): Promise<FaultOutcome & { records: readonly CallRecord[] }> => {
  const name = 'storm, retry open keys';
  const records = await retryOpenKeys(await system.readFile(), calls, LEASE_MS + RETURN_MARGIN_MS);
  const sweptMs = await untilNoOpenReservation(home, SWEPT_LIMIT_MS);
  return {
    name,
    calls: records.length,
    endings: countEndings(records),
    recoveryMs: [],
    disturbedMs: [],
    sweptMs: sweptMs ?? -1,
    violations: findOpenKeys([...calls, ...records]),
    records,
  };
};

type ShutDown = {
  title: string;
  run: (running: RunContext) => Promise<FaultOutcome & { records: readonly CallRecord[] }>;
};

const WARM_UP_MS = 1_000;
/** Time in milliseconds after a kill at which the service is still being restarted. */
const RESTARTING_MS = 300;

/**
 * Sends SIGTERM to the whole system under load: every call in flight must complete, and no process
 * may remain.
 */
const stopSystem: ShutDown = {
  title: 'stop the system',
  run: async ({ system, home, random }) => {
    const file = await system.readFile();
    const load = driveLoad(file, {
      inFlight: IN_FLIGHT,
      random,
      name: stopSystem.title,
    });
    await pause(WARM_UP_MS);
    const at = Date.now();
    const stopped = system.stop();
    await load.stop();
    const code = await stopped;
    return {
      name: stopSystem.title,
      calls: load.endedCalls.length,
      endings: countEndings(load.endedCalls),
      recoveryMs: [],
      disturbedMs: [],
      sweptMs: 0,
      violations: [
        ...findInterruptedCalls(load.endedCalls, [at]),
        ...findShutdownViolations(stopSystem.title, code, await findLeftovers(home, file.pids)),
      ],
      records: load.endedCalls,
    };
  },
};

/**
 * Sends SIGTERM to the system while it restarts a killed service: the restarted process must not
 * remain.
 */
const stopWhileRestarting: ShutDown = {
  title: 'stop the system during a restart',
  run: async ({ system, home }) => {
    const { pids } = await system.readFile();
    await system.signal(['ledger'], 'SIGKILL');
    await pause(RESTARTING_MS);
    const code = await system.stop();
    const remainingPids = await findLeftovers(home, pids);
    return {
      name: stopWhileRestarting.title,
      calls: 0,
      endings: {},
      recoveryMs: [],
      disturbedMs: [],
      sweptMs: 0,
      violations: findShutdownViolations(stopWhileRestarting.title, code, remainingPids),
      records: [],
    };
  },
};

const findShutdownViolations = (
  name: string,
  code: number | null,
  remainingPids: readonly number[],
): string[] => {
  for (const pid of remainingPids) process.kill(pid, 'SIGKILL');
  return [
    ...(code === 0 ? [] : [`${name}: exited with ${code ?? 'a kill after 60 s'}`]),
    ...(remainingPids.length === 0 ? [] : [`${name}: ${remainingPids.length} processes still run`]),
  ];
};
