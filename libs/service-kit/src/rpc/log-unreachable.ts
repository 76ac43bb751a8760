import type { ServiceError } from '@witan/contracts';
import type { Log } from '../log/create-log.ts';

/** Minimum time between two log lines about the same service, in milliseconds. */
const LOG_EVERY_MS = 30_000;

type UnreachableLogOptions = { log: Log; callee: string; now?: () => number };

/**
 * Returns a function that logs that `callee` is not reachable, at most once in `LOG_EVERY_MS`, with
 * the number of calls that failed in between.
 */
export const createUnreachableLog = ({
  log,
  callee,
  now = () => performance.now(),
}: UnreachableLogOptions): ((err: ServiceError) => void) => {
  let nextAt = -Infinity;
  let unloggedCalls = 0;
  return (err) => {
    if (now() < nextAt) {
      unloggedCalls += 1;
      return;
    }
    nextAt = now() + LOG_EVERY_MS;
    log.warn(
      { event: 'callee_unreachable', callee, unloggedCalls, err },
      'A service that this one calls is not reachable',
    );
    unloggedCalls = 0;
  };
};
