import type { FaultSystem } from '../open-running-system.ts';
import type { RoundOutcome } from '../run-part.ts';
import type { Random } from '@witan/testing/create-random';
import type { FaultProvider } from './open-provider.ts';
import type { CallRecord } from './run-call.ts';

/** State that the rounds of this part share. */
export type CompletionBench = {
  home: string;
  random: Random;
  provider: FaultProvider;
  /** The running system; a round that stops it starts another. */
  system: FaultSystem;
};

export type CallRound = RoundOutcome & { records: readonly CallRecord[] };

/** Number of concurrent calls of the load. */
export const IN_FLIGHT = 32;
/**
 * Maximum time from a signal to the end of the first successful call, in milliseconds. Processes
 * start ten times slower on a machine that other work shares than on an idle one (1 to 9 s), which
 * is no fault of the system; a system that does not recover by itself never does.
 */
export const RECOVERY_LIMIT_MS = 60_000;
/**
 * Completion timeout in these runs; the time after which the sweeper ends open reservations depends
 * on it.
 */
export const COMPLETION_TIMEOUT_MS = 3_000;
/**
 * Maximum time until no reservation is open. A reservation expires 20 s after the timeout of its
 * call (10 s for the certificate, 10 s of margin); the sweeper gets 5 s more.
 */
export const SWEPT_LIMIT_MS = COMPLETION_TIMEOUT_MS + 15_000 + 10_000;
/**
 * Time in which a call waits for the ledger to write its certificate; a ledger that a slow machine
 * starts later breaks calls without fault.
 */
export const LEDGER_WAIT_MS = 10_000;

/** A graceful stop at `at`, and the messages of the calls that the provider had by then. */
export type GracefulStop = { at: number; received: ReadonlySet<string> };

/** Must be called at the moment of the signal, before other events are handled. */
export const toGracefulStop = (at: number, provider: FaultProvider): GracefulStop => ({
  at,
  received: new Set(provider.received().map(({ content }) => content)),
});

/**
 * Returns a violation for each call that the provider had received when a service was stopped
 * gracefully and that did not complete. A call that is not there yet may fail without harm; how
 * long it takes to get there depends on the machine.
 */
export const findInterruptedCalls = (
  calls: readonly CallRecord[],
  stops: readonly GracefulStop[],
): string[] =>
  stops.flatMap(({ at, received }) =>
    calls
      .filter(({ content, endedAt }) => endedAt > at && received.has(content))
      .filter(({ outcome }) => outcome !== 'complete')
      .map((call) => `${call.content}: in flight at SIGTERM, ended ${describeEnding(call)}`),
  );

/** Returns the number of calls for each way in which they ended. */
export const countEndings = (calls: readonly CallRecord[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(calls, describeEnding)].map(([ending, group]) => [ending, group.length]),
  );

const describeEnding = ({ outcome, status }: CallRecord): string =>
  outcome === 'refused' ? `${outcome} ${status}` : outcome;
