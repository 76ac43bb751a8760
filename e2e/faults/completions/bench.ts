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
/** Maximum time from a signal to the end of the first successful call, in milliseconds. */
export const RECOVERY_LIMIT_MS = 15_000;
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
 * A call that started less than this time before a graceful stop may not have reached the service,
 * so it may fail, unless the provider had received it.
 */
const ARRIVAL_MS = 100;

/** A graceful stop at `at`, and the messages of the calls that the provider had by then. */
export type GracefulStop = { at: number; received: ReadonlySet<string> };

/** Must be called at the moment of the signal, before other events are handled. */
export const toGracefulStop = (at: number, provider: FaultProvider): GracefulStop => ({
  at,
  received: new Set(provider.received().map(({ content }) => content)),
});

/**
 * Returns a violation for each call that did not complete although, when a service was stopped
 * gracefully, it had been in flight for more than ARRIVAL_MS or the provider had received it.
 */
export const findInterruptedCalls = (
  calls: readonly CallRecord[],
  stops: readonly GracefulStop[],
): string[] =>
  stops.flatMap(({ at, received }) =>
    calls
      .filter(({ endedAt }) => endedAt > at)
      .filter(({ content, startedAt }) => startedAt < at - ARRIVAL_MS || received.has(content))
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
