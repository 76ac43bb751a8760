import type { Log } from '@witan/service-kit';
import type { AttemptRecord } from '../completion.ts';

/** Time in which a provider is warned about once. */
const WARN_EVERY_MS = 60_000;
/** Maximum number of providers whose last warning is remembered. */
const PROVIDERS_MAX = 1_000;

/**
 * Returns a function that logs each attempt, and warns an operator once a minute and provider that
 * refuses credentials or does not serve calls. A refusal that is about the request itself, such as
 * 400, is no warning, and neither is a failure of a workspace's own provider: its key is not the
 * operator's to fix, and its name may be that of a provider of the operator. `now` is a monotonic
 * clock in milliseconds.
 */
export const createLogAttempt = (
  log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>,
  now: () => number = () => performance.now(),
): ((record: AttemptRecord) => void) => {
  const lastWarning = new Map<string, number>();
  const isDue = (provider: string): boolean => {
    const last = lastWarning.get(provider);
    if (last !== undefined && now() - last < WARN_EVERY_MS) return false;
    // The oldest warning is the first entry.
    lastWarning.delete(provider);
    if (lastWarning.size >= PROVIDERS_MAX) lastWarning.delete(lastWarning.keys().next().value!);
    lastWarning.set(provider, now());
    return true;
  };
  return (record) => {
    logRecord(log, record);
    const failure = findFailure(record);
    if (!failure || !isDue(record.provider)) return;
    const { provider, model, outcome, status, workspaceId } = record;
    const fields = { provider, model, outcome, status, workspaceId };
    if (failure === 'credentials')
      log.error(
        { event: 'provider_credentials_refused', ...fields },
        'The provider refused the API key; set a valid one',
      );
    else
      log.warn(
        { event: 'provider_unavailable', ...fields },
        'The provider does not serve calls; further failures are logged at level info',
      );
  };
};

/**
 * A success at the first attempt is logged at debug level, because the api-gateway's log of the
 * request already covers it.
 */
const logRecord = (log: Pick<Log, 'debug' | 'info'>, record: AttemptRecord): void => {
  const isFirstSuccess = record.attempt === 1 && record.status >= 200 && record.status < 300;
  if (record.status === 0)
    log.info(
      { event: 'provider_attempt_failed', ...record },
      'Provider attempt ended without a response',
    );
  else if (isFirstSuccess)
    log.debug({ event: 'provider_responded', ...record }, 'Provider responded');
  else log.info({ event: 'provider_responded', ...record }, 'Provider responded');
};

/** Statuses of calls that the provider does not serve now: payment due, time-out, rate limit. */
const UNSERVED: ReadonlySet<number> = new Set([402, 408, 429]);
const NO_RESPONSE: ReadonlySet<string> = new Set(['PROVIDER_UNREACHABLE', 'PROVIDER_TIMEOUT']);

type Failure = 'credentials' | 'service';

const findFailure = ({ status, outcome, isOwn }: AttemptRecord): Failure | undefined => {
  if (isOwn) return undefined;
  if (status === 401 || status === 403) return 'credentials';
  const isUnserved = UNSERVED.has(status) || status >= 500 || NO_RESPONSE.has(outcome);
  return isUnserved ? 'service' : undefined;
};
