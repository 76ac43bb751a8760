import type { Env } from '@witan/service-kit';

/** Keys that `npm start` makes by itself in development, and in production never. */
const KEYS = ['WITAN_SECRETS_KEY', 'WITAN_SIGNING_KEY_FILE'];

/**
 * The environment of `npm start`: the state directory, and everything for the services. At a
 * terminal, where each request's line would push the key off the screen, services log warnings
 * only, unless `LOG_LEVEL` says otherwise. Throws when it says production and leaves a key to be
 * made.
 */
export const readStartEnv = (
  env: Env = process.env,
  { isTerminal = process.stdout.isTTY }: { isTerminal?: boolean } = {},
): { home: string; all: Env } => {
  const missing = KEYS.filter((name) => !env[name]?.trim());
  if (env.WITAN_ENV === 'production' && missing.length > 0) {
    throw new Error(`In production no key is made silently: set ${missing.join(' and ')}.`);
  }
  const isQuiet = isTerminal && env.WITAN_ENV !== 'production' && !env.LOG_LEVEL?.trim();
  return {
    home: env.WITAN_HOME?.trim() || '.witan',
    all: isQuiet ? { ...env, LOG_LEVEL: 'warn' } : env,
  };
};
