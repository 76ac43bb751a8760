import { ConfigError, readEnv, releaseStartMemory } from '@witan/service-kit';
import type { Env } from '@witan/service-kit';
import { CATALOGUE } from '@witan/stack/system/catalogue';
import { runStandalone } from '@witan/stack/system/run-standalone';
import { databaseVariable, readDatabaseUrl, readServeEnv } from '../config.ts';
import { openReadiness } from '../open-readiness.ts';

/**
 * Runs `witan serve all`: every service in this process until it is stopped. Databases, keys and a
 * model provider must be configured; the command creates none of them.
 */
export const runServeAll = async (): Promise<undefined> => {
  const { host, port, environments } = readPlan(readServeEnv());
  // The kernel ignores signals without a handler for the first process of a container, and the
  // start may wait for the database.
  const exit = (): void => process.exit(0);
  for (const signal of SIGNALS) process.on(signal, exit);
  const system = await runStandalone({ environments, transport: 'in-process' });
  const { adminUrls } = system;
  const readiness = await openReadiness({ host, port, adminUrls }).catch(async (error) => {
    await system.stop();
    throw error;
  });
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) return;
    stopping = true;
    void readiness
      .close()
      .then(system.stop)
      .then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
          process.exit(1);
        },
      );
  };
  for (const signal of SIGNALS) process.off(signal, exit).on(signal, onSignal);
  releaseStartMemory();
};

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

type Plan = { host: string; port: number; environments: Record<string, Record<string, string>> };

/**
 * Returns the admin address and the environment of each service. Throws ConfigError with the errors
 * of all services, without duplicates.
 */
const readPlan = (env: Env): Plan =>
  readEnv('witan serve all', env, (read) => {
    const host = read.text('ADMIN_HOST', '0.0.0.0');
    const port = read.port('ADMIN_PORT', 9090);
    const errors = new Set<string>();
    const environments: Plan['environments'] = {};
    for (const [index, { name, load }] of CATALOGUE.entries()) {
      const databaseUrl = readDatabaseUrl(name, env);
      if (!databaseUrl) errors.add(`${databaseVariable(name)} is required`);
      const own = toEnvironment(env, {
        DATABASE_URL: databaseUrl ?? 'missing',
        // The configured port serves the readiness of all services together; each service gets one
        // of the ports after it. With port 0 each service gets any free port.
        ADMIN_PORT: String(port === 0 ? 0 : port + 1 + index),
      });
      environments[name] = own;
      for (const error of errorsOf(() => load(own, { requiresBroker: false }))) errors.add(error);
    }
    for (const error of errors) read.addError(error);
    return { host, port, environments };
  });

const errorsOf = (load: () => unknown): readonly string[] => {
  try {
    load();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }
};

/**
 * Value of settings that one process does not need: the services' network addresses and the keys
 * for authentication between them.
 */
const NOT_USED = 'not used in one process';

const toEnvironment = (env: Env, own: Record<string, string>): Record<string, string> => {
  const given = Object.entries(env).filter(([, value]) => value !== undefined);
  const addresses = CATALOGUE.map(({ name }) => [
    `${name.toUpperCase().replaceAll('-', '_')}_ADDRESS`,
    NOT_USED,
  ]);
  return {
    ...(Object.fromEntries(given) as Record<string, string>),
    ...(Object.fromEntries(addresses) as Record<string, string>),
    GRPC_ADDRESS: NOT_USED,
    WITAN_SERVICE_KEY_FILE: NOT_USED,
    WITAN_SERVICE_PUBLIC_KEYS: NOT_USED,
    ...own,
  };
};
