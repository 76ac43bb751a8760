import { DATABASE_WAIT_MS } from '@witan/service-kit';
import { UsageError } from './usage.ts';

const SECOND_MS = 1_000;
const WAIT_MAX_SECONDS = 3_600;

/**
 * Returns the milliseconds of `--wait SECONDS`, the time that a job waits for PostgreSQL. Throws
 * UsageError.
 */
export const readWaitMs = (text: string | undefined): number => {
  if (text === undefined) return DATABASE_WAIT_MS;
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= WAIT_MAX_SECONDS)) {
    throw new UsageError(`--wait takes whole seconds, at most ${WAIT_MAX_SECONDS}.`);
  }
  return seconds * SECOND_MS;
};
