import type { Env } from '@witan/service-kit';

/** The environment of `npm start`: the state directory, and everything for the services. */
export const readStartEnv = (env: Env = process.env): { home: string; all: Env } => ({
  home: env.WITAN_HOME?.trim() || '.witan',
  all: env,
});
