import { join, resolve } from 'node:path';
import { createLog, LOG_LEVELS, openStdout } from '@witan/service-kit';
import type { Env, Log, SpanExporter } from '@witan/service-kit';
import { openNats } from '../nats/open-nats.ts';
import type { BrokerState, Nats } from '../nats/open-nats.ts';
import { NatsError } from '../postgres/postgres-error.ts';
import { choosePort, isFree } from '../postgres/choose-port.ts';
import { openEmbeddedPostgres } from '../postgres/open-embedded-postgres.ts';
import { provisionDatabases } from '../postgres/provision.ts';
import { CATALOGUE } from './catalogue.ts';
import { makeEnvironments } from './environment.ts';
import { openHome, randomSecret } from './home.ts';
import type { Home } from './home.ts';
import { runProcesses } from './run-processes.ts';
import { runStandalone } from './run-standalone.ts';
import type { RunningSystem } from './run-standalone.ts';
import { seedCouncil, seedWorkspace } from './seed.ts';
import type { Seed } from './seed.ts';
import { supervise } from './supervise.ts';
import type { Supervisor } from './supervise.ts';

export type SystemFile = Seed & {
  baseUrl: string;
  consoleUrl: string;
  adminUrls: Readonly<Record<string, string>>;
  pids: Readonly<Record<string, number>>;
  databaseUrl: string;
  natsUrl: string | null;
};

export type System = {
  file: () => SystemFile;
  broker: BrokerState;
  stop: () => Promise<void>;
  interrupt?: RunningSystem['interrupt'];
};

export type SystemOptions = {
  home: string;
  /**
   * Environment of the user. `DATABASE_URL` and `NATS_URL` name existing servers. Without
   * `NATS_URL`, `PATH` is searched for a nats-server.
   */
  env: Env;
  mode: 'standalone' | 'processes';
  transport?: 'in-process' | 'grpc';
  databases?: { urls: Readonly<Record<string, string>>; adminUrl: string };
  hasCouncil?: boolean;
  /** Called with a text, such as "preparing the database", when a part of the start begins. */
  onPhase?: (text: string) => void;
  createLogFor?: (service: string) => Log;
  /** For tests: receives the spans of a standalone system instead of the collector. */
  exporter?: SpanExporter;
};

/** Starts the whole system and resolves when it accepts calls. `stop` stops everything. */
export const createSystem = async (options: SystemOptions): Promise<System> => {
  const home = await openHome(resolve(options.home));
  const cleanups: (() => Promise<void>)[] = [home.release];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  };
  try {
    await home.remove('system.json');
    const logs = openLogs(options);
    const log = logs.createLogFor('stack');
    const ports = await choosePorts(options);
    let renewFile = async (): Promise<void> => {};
    const onRestart = (): Promise<void> => renewFile();
    const { nats, databases } = await openServers(home, options, { log, cleanups, onRestart });
    const environments = await makeEnvironments({
      home,
      env: options.env,
      databaseUrls: databases.urls,
      natsUrl: nats.url,
      ...ports,
    });
    const databaseUrl = databases.urls['api-gateway']!;
    const seed = await seedWorkspace(home, { databaseUrl, log });
    let running: RunningSystem | undefined;
    const file = (): SystemFile => toFile(seed, running!, { databases, nats });
    const writeFile = (): Promise<void> =>
      home.write('system.json', `${JSON.stringify(file(), undefined, 2)}\n`);
    const onStart = (service: string): void =>
      options.onPhase?.(`migrating and starting ${service} (${toPosition(service)})`);
    running =
      options.mode === 'processes'
        ? await runProcesses({
            environments,
            log,
            onStart,
            onRestart: writeFile,
          })
        : await runStandalone({
            environments,
            onStart,
            transport: options.transport ?? 'in-process',
            createLogFor: logs.createLogFor,
            ...(options.exporter ? { exporter: options.exporter } : {}),
          });
    cleanups.push(running.stop);
    if (options.hasCouncil) await seedCouncil(home, { ...seed, baseUrl: running.baseUrl });
    await writeFile();
    renewFile = writeFile;
    cleanups.push(() => home.remove('system.json'));
    logs.flush();
    return { file, broker: nats.state, stop, interrupt: running.interrupt };
  } catch (error) {
    await stop();
    throw error;
  }
};

type Parts = { log: Log; cleanups: (() => Promise<void>)[]; onRestart: () => Promise<void> };

/** Starts broker and database at the same time. */
const openServers = async (
  home: Home,
  options: SystemOptions,
  parts: Parts,
): Promise<{ nats: Nats; databases: Databases }> => {
  const { log, cleanups, onRestart } = parts;
  // Services publish events until they stop, so the broker starts before them and stops after.
  const openBroker = async (): Promise<Nats> => {
    const opened = await openNats({ home, env: options.env, log, onRestart });
    cleanups.push(opened.stop);
    return opened;
  };
  const openingBroker = openBroker();
  // Separate processes without a broker are refused before the database starts.
  if (options.mode === 'processes') requireBroker((await openingBroker).state);
  options.onPhase?.('preparing the database');
  const openingDatabases = options.databases ?? openDatabases(home, options, parts);
  // If one of them fails, the other is stopped only when it has started.
  await Promise.allSettled([openingBroker, openingDatabases]);
  return { nats: await openingBroker, databases: await openingDatabases };
};

const toPosition = (service: string): string =>
  `${CATALOGUE.findIndex(({ name }) => name === service) + 1} of ${CATALOGUE.length} services`;

type Logs = { createLogFor: (service: string) => Log; flush: () => void };

/** Opens the logs of this process, which share one destination unless the caller creates them. */
const openLogs = ({ createLogFor, env }: SystemOptions): Logs => {
  if (createLogFor) return { createLogFor, flush: () => {} };
  // The services themselves report an invalid level.
  const level = LOG_LEVELS.find((one) => one === env.LOG_LEVEL) ?? 'info';
  const output = level === 'silent' ? undefined : openStdout();
  return {
    createLogFor: (service) =>
      createLog({ service, level, ...(output ? { destination: output } : {}) }),
    flush: () => output?.flushSync(),
  };
};

/** Throws if there is no broker, without which events cannot reach another process. */
const requireBroker = (broker: BrokerState): void => {
  if (!('missing' in broker)) return;
  const { reason, message } = broker.missing;
  throw new NatsError(reason, `Separate processes need a broker: ${message}`);
};

type Databases = NonNullable<SystemOptions['databases']> & { postgres?: Supervisor };

const openDatabases = async (
  home: Home,
  { env }: SystemOptions,
  parts: Parts,
): Promise<Databases> => {
  const { adminUrl, postgres } = env.DATABASE_URL
    ? { adminUrl: env.DATABASE_URL, postgres: undefined }
    : await openSupervised(home, parts);
  if (postgres) parts.cleanups.push(postgres.stop);
  const services = CATALOGUE.filter(({ hasDatabase }) => hasDatabase).map(({ name }) => name);
  const secrets: Record<string, string> = {};
  for (const name of services) secrets[name] = await home.secret(`database-${name}`, randomSecret);
  const urls = await provisionDatabases({ adminUrl, services, secrets });
  return { urls, adminUrl, ...(postgres ? { postgres } : {}) };
};

const openSupervised = async (
  home: Home,
  { log, onRestart }: { log: Log; onRestart: () => Promise<void> },
): Promise<{ adminUrl: string; postgres: Supervisor }> => {
  const dir = join(home.dir, 'postgres');
  const logLine = (line: string): void =>
    log.info({ event: 'postgres_start_notice', line }, 'Notice while starting PostgreSQL');
  let url = '';
  let port = 0;
  const postgres = await supervise({
    start: async () => {
      const server = await openEmbeddedPostgres({ dir, port, durable: true, log: logLine });
      ({ url, port } = server);
      return server;
    },
    process: 'postgres',
    log,
    onRestart: async () => {
      log.info({ event: 'postgres_restarted' }, 'PostgreSQL restarted');
      await onRestart();
    },
  });
  return { adminUrl: url, postgres };
};

/** Throws if the port of the API is taken, so that a start ends before it makes a database. */
const choosePorts = async ({ env, mode }: SystemOptions) => {
  const any = async (): Promise<number> => choosePort({ wanted: 0 });
  const httpPort = env.PORT === undefined || env.PORT === '' ? 8080 : Number(env.PORT);
  if (httpPort !== 0 && !(await isFree(httpPort))) {
    throw new Error(`Port ${httpPort} is taken; set PORT to a free one.`);
  }
  if (mode === 'standalone') return { httpPort, grpcPorts: {}, adminPorts: {} };
  // Ports are chosen once, so that callers find a restarted process.
  const grpcPorts: Record<string, number> = {};
  const adminPorts: Record<string, number> = {};
  for (const { name, servesGrpc } of CATALOGUE) {
    if (servesGrpc) grpcPorts[name] = await any();
    adminPorts[name] = await any();
  }
  return { httpPort: httpPort === 0 ? await any() : httpPort, grpcPorts, adminPorts };
};

const toFile = (
  seed: Seed,
  running: RunningSystem,
  { databases, nats }: { databases: Databases; nats: Nats },
): SystemFile => ({
  baseUrl: running.baseUrl,
  ...seed,
  consoleUrl: `${running.baseUrl}/console`,
  adminUrls: running.adminUrls,
  pids: {
    ...running.pids(),
    ...(databases.postgres ? { postgres: databases.postgres.pid() } : {}),
    ...(nats.pid ? { nats: nats.pid() } : {}),
  },
  databaseUrl: databases.adminUrl,
  natsUrl: nats.url ?? null,
});
