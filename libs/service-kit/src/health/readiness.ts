import { isServiceError } from '@witan/contracts';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Log } from '../log/create-log.ts';

/**
 * Checks by name. A check rejects with UNAVAILABLE if a dependency that all replicas share is not
 * reachable, and with any other error if the cause is local to this replica.
 */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

export type CheckState = 'ok' | 'degraded' | 'failing';

export type Readiness = { ready: boolean; checks: Record<string, CheckState> };

export type CheckReadiness = () => Promise<Readiness>;

const CHECK_TIMEOUT_MS = 2_000;

/**
 * Returns a function that runs all checks concurrently. A replica is not ready while a check is
 * `failing`. A check that passed before and now rejects with UNAVAILABLE, or takes more than 2 s,
 * is only `degraded`. Otherwise all replicas would be withdrawn together: callers would get no
 * response of this service, and recovery would wait for probes and DNS (ADR 0033). The result
 * contains no causes of failures.
 */
export const createReadiness = (
  checks: Checks,
  { log, registry }: { log: Log; registry: Registry },
): CheckReadiness => {
  const degraded = new Gauge({
    name: 'service_degraded',
    help: '1 if a readiness check found its dependency unreachable when it last ran, otherwise 0.',
    labelNames: ['check'] as const,
    registers: [registry],
  });
  const states = new Map<string, CheckState>();
  const runCheck = async (name: string, check: () => Promise<void>): Promise<CheckState> => {
    const result = await settle(check);
    const before = states.get(name);
    const wasReady = before === 'ok' || before === 'degraded';
    const state = result.state === 'degraded' && !wasReady ? 'failing' : result.state;
    states.set(name, state);
    degraded.set({ check: name }, state === 'degraded' ? 1 : 0);
    if (state === 'degraded' && before === 'ok') {
      log.warn(
        { event: 'dependency_unavailable', dependency: name, err: result.error },
        'A dependency is not reachable; the service stays ready, and calls that need it fail',
      );
    } else if (state === 'ok' && before === 'degraded') {
      log.info(
        { event: 'dependency_restored', dependency: name },
        'A dependency is reachable again',
      );
    }
    return state;
  };
  return async () => {
    const results = await Promise.all(
      Object.entries(checks).map(
        async ([name, check]) => [name, await runCheck(name, check)] as const,
      ),
    );
    return {
      ready: results.every(([, state]) => state !== 'failing'),
      checks: Object.fromEntries(results),
    };
  };
};

type CheckResult = { state: CheckState; error?: unknown };

/** Resolves with the outcome of a check, `degraded` if it is not known after 2 s. */
const settle = async (check: () => Promise<void>): Promise<CheckResult> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(() => {
      resolve({ state: 'degraded', error: new Error(`No result after ${CHECK_TIMEOUT_MS} ms.`) });
    }, CHECK_TIMEOUT_MS);
  });
  const result = check().then(
    (): CheckResult => ({ state: 'ok' }),
    (error: unknown): CheckResult => ({
      state: isServiceError(error) && error.reason === 'UNAVAILABLE' ? 'degraded' : 'failing',
      error,
    }),
  );
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
};
