import type { Env } from '@witan/service-kit';

/** Keys that `npm start` creates in development; in production they must be set. */
const KEYS = ['WITAN_SECRETS_KEY', 'WITAN_SIGNING_KEY_FILE'];

/**
 * Returns the settings of `npm start`. In a development terminal the log level defaults to `warn`,
 * because request logs would scroll the printed API key away. Throws in production if one of KEYS
 * is not set.
 */
export const readStartEnv = (
  env: Env = process.env,
  { isTerminal = process.stdout.isTTY }: { isTerminal?: boolean } = {},
): { home: string; all: Env } => {
  const missing = KEYS.filter((name) => !env[name]?.trim());
  if (env.WITAN_ENV === 'production' && missing.length > 0) {
    throw new Error(`In production no key is made silently: set ${missing.join(' and ')}.`);
  }
  const hidesRequestLogs = isTerminal && env.WITAN_ENV !== 'production' && !env.LOG_LEVEL?.trim();
  return {
    home: env.WITAN_HOME?.trim() || '.witan',
    all: hidesRequestLogs ? { ...env, LOG_LEVEL: 'warn' } : env,
  };
};
