import { createMeteredEnvironment, createProviderEnvironment } from '../config.ts';
import { findChargeViolations } from '../evidence/find-charge-violations.ts';
import { openChainReader } from '../evidence/follow-chain.ts';
import { readAuditViolations } from '../evidence/read-audit-violations.ts';
import { untilNoOpenReservation, countReservations, readLedger } from '../evidence/read-ledger.ts';
import type { Part, Round } from '../run-part.ts';
import {
  countEndings,
  COMPLETION_TIMEOUT_MS,
  IN_FLIGHT,
  RECOVERY_LIMIT_MS,
  SWEPT_LIMIT_MS,
} from './bench.ts';
import type { CallRound, CompletionBench } from './bench.ts';
import { findOpenCalls, retryOpenKeys } from './drive-retries.ts';
import { findOpenKeys } from './find-key-violations.ts';
import { findViolations } from './find-violations.ts';
import { openProvider } from './open-provider.ts';
import type { CallRecord } from './run-call.ts';
import { runStrike } from './run-strike.ts';
import { stopUnderLoad, stopWhileRestarting } from './stop-system.ts';
import { COMPLETION_STRIKES } from './strikes.ts';

/**
 * Lease of an idempotent call at the api-gateway: the completion timeout, 90 s for other calls of a
 * chat turn, 120 s for a busy simulation, and 60 s of margin.
 */
const LEASE_MS = COMPLETION_TIMEOUT_MS + 270_000;
/** Time for the last retry of each key after all leases have expired, in milliseconds. */
const RETURN_MARGIN_MS = 20_000;

export const COMPLETIONS: Part = {
  summary: '32 concurrent calls, with and without Idempotency-Key, while processes are killed',
  open: async ({ home, random, resources, openSystem }) => {
    const provider = await openProvider(random);
    resources.defer(provider.close);
    const env = {
      ...createProviderEnvironment(provider.baseUrl),
      ...createMeteredEnvironment(COMPLETION_TIMEOUT_MS),
    };
    const bench: CompletionBench = { home, random, provider, system: await openSystem(env) };
    const reopen = async (): Promise<void> => {
      bench.system = await openSystem(env);
    };
    const judge = createRunJudge(bench);
    return {
      rounds: listRounds(bench, judge, reopen),
      finish: async () => ({
        figures: {
          inFlight: IN_FLIGHT,
          recoveryLimitMs: RECOVERY_LIMIT_MS,
          ...judge.figures(),
        },
        violations: [],
      }),
    };
  },
};

function* listRounds(
  bench: CompletionBench,
  judge: RunJudge,
  reopen: () => Promise<void>,
): Generator<Round> {
  const toRound = (name: string, run: () => Promise<CallRound>): Round => ({
    name,
    run: async () => {
      const { figures, violations, records } = await run();
      return { figures, violations: [...violations, ...(await judge.check(records))] };
    },
  });
  for (const one of COMPLETION_STRIKES) yield toRound(one.name, () => runStrike(one, bench));
  if (findOpenCalls(judge.calls).length > 0) {
    const run = () => retryOpenCalls(judge, bench);
    yield { ...toRound('storm, retry open keys', run), isRequired: true };
  }
  for (const [name, stop] of [
    ['stop the system', stopUnderLoad],
    ['stop the system during a restart', stopWhileRestarting],
  ] as const) {
    yield toRound(name, async () => {
      const outcome = await stop(bench);
      await reopen();
      return outcome;
    });
  }
}

/**
 * Retries calls without a final response until they have one or the leases of killed processes have
 * expired. Returns a violation for each key that has no final response even then.
 */
const retryOpenCalls = async (
  { calls }: RunJudge,
  { system, home }: CompletionBench,
): Promise<CallRound> => {
  const records = await retryOpenKeys(await system.readFile(), calls, LEASE_MS + RETURN_MARGIN_MS);
  const sweptMs = await untilNoOpenReservation(home, SWEPT_LIMIT_MS);
  return {
    figures: {
      calls: records.length,
      endings: countEndings(records),
      sweptMs: sweptMs ?? -1,
    },
    violations: findOpenKeys([...calls, ...records]),
    records,
  };
};

/** Checks all calls since the start of the run after each of its rounds. */
export type RunJudge = {
  calls: readonly CallRecord[];
  /** Totals of calls, certificates and charges at the last check. */
  figures: () => object;
  /** Adds the calls of a round; returns the violations that were not found before. */
  check: (records: readonly CallRecord[]) => Promise<string[]>;
};

export const createRunJudge = (bench: CompletionBench): RunJudge => {
  const chain = openChainReader();
  const calls: CallRecord[] = [];
  const known = new Set<string>();
  let figures: object = {};
  return {
    calls,
    figures: () => figures,
    check: async (records) => {
      calls.push(...records);
      const { home, provider } = bench;
      const file = await bench.system.readFile();
      const certificates = await chain.readAll(file);
      const found = findViolations({ calls, received: provider.received(), certificates });
      const { charges, ...charged } = findChargeViolations(certificates, await readLedger(home));
      figures = { counts: found.counts, charges };
      const { settled } = await countReservations(home);
      const { received, lostUnsent, endedUnsent } = found.counts;
      const counted = `${certificates.length} certificates`;
      const unsent = `${lostUnsent} lost and ${endedUnsent} ended before egress`;
      const all = [
        ...found.violations,
        ...(settled === certificates.length ? [] : [`${settled} settled reservations, ${counted}`]),
        ...(received + lostUnsent + endedUnsent === certificates.length
          ? []
          : [`${received} calls received, ${counted}, ${unsent}`]),
        ...charged.violations,
        ...(await readAuditViolations(home, file)),
      ];
      const added = all.filter((one) => !known.has(one));
      for (const one of added) known.add(one);
      return added;
    },
  };
};
