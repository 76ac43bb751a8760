import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLog } from '@witan/service-kit';
import { openNats } from '@witan/stack/nats/open-nats';
import { choosePort } from '@witan/stack/postgres/choose-port';
import { openEmbeddedPostgres } from '@witan/stack/postgres/open-embedded-postgres';
import { provisionDatabases } from '@witan/stack/postgres/provision';
import { CATALOGUE } from '@witan/stack/system/catalogue';
import { makeEnvironments } from '@witan/stack/system/environment';
import { openHome, randomSecret } from '@witan/stack/system/home';
import type { Home } from '@witan/stack/system/home';
import { seedCouncil, seedWorkspace } from '@witan/stack/system/seed';
import type { Seed } from '@witan/stack/system/seed';
import { openService } from '../open-service.ts';
import type { ServiceProcess } from '../open-service.ts';
import { openBalancer } from './open-balancer.ts';
import type { Balancer } from './open-balancer.ts';

export type Replica = { service: string; number: number };

/** A system with several processes of each service, one database and one NATS server. */
export type ReplicatedSystem = Seed & {
  /** URL of the balancer in front of the api-gateway. */
  baseUrl: string;
  /**
   * The processes in the order in which they are started: each service after the services that it
   * calls.
   */
  replicas: readonly Replica[];
  signingKeyFile: string;
  ledgerLogs: string[];
  /** Stops a process with SIGTERM and starts its replacement; returns exit code and durations. */
  restart: (replica: Replica) => Promise<{ code: number | null; stopMs: number; startMs: number }>;
  stop: () => Promise<void>;
};

/**
 * Time from removing an api-gateway from the balancer to its SIGTERM, in milliseconds, like a
 * `preStop` hook in Kubernetes.
 */
const PRE_STOP_MS = 1_000;
const HOST = '127.0.0.1';
const API_GATEWAY = 'api-gateway';
const LEDGER = 'ledger';

/** Starts `count` processes of each service. Their state and logs are in `home`. */
export const openReplicas = async (options: {
  home: string;
  count: number;
  env: Readonly<Record<string, string>>;
}): Promise<ReplicatedSystem> => {
  const owned = new AsyncDisposableStack();
  try {
    return await openAll(options, owned);
  } catch (error) {
    await owned.disposeAsync();
    throw error;
  }
};

type Options = Parameters<typeof openReplicas>[0];

const openAll = async (
  { home: dir, count, env }: Options,
  owned: AsyncDisposableStack,
): Promise<ReplicatedSystem> => {
  const home = await openHome(dir);
  owned.defer(home.release);
  const { environments, databaseUrl } = await openServers(home, { env, count }, owned);
  const log = createLog({ service: 'rolling', level: 'warn' });
  const seed = await seedWorkspace(home, { databaseUrl, log });
  const balancer = await openBalancer();
  owned.defer(balancer.close);
  const replicas = CATALOGUE.flatMap(({ name: service }) =>
    Array.from({ length: count }, (_, number) => ({ service, number })),
  );
  const logPathOf = ({ service, number }: Replica): string => join(dir, `${service}-${number}.log`);
  const running = new Map<Replica, ServiceProcess>();
  const start = async (replica: Replica): Promise<void> => {
    const { service } = replica;
    const own = environments(replica);
    const process = await openService(service, own, logPathOf(replica));
    running.set(replica, process);
    if (service === API_GATEWAY) balancer.add(Number(own.PORT));
  };
  const stopProcess = async (replica: Replica): Promise<number | null> => {
    if (replica.service === API_GATEWAY)
      await removeFromBalancer(balancer, Number(environments(replica).PORT));
    return running.get(replica)!.stop();
  };
  owned.defer(async () => {
    for (const replica of replicas.toReversed()) await running.get(replica)?.stop();
  });
  for (const replica of replicas) await start(replica);
  await seedCouncil(home, { ...seed, baseUrl: balancer.url });
  return {
    ...seed,
    baseUrl: balancer.url,
    replicas,
    signingKeyFile: environments(replicas[0]!).WITAN_SIGNING_KEY_FILE!,
    ledgerLogs: replicas.filter(({ service }) => service === LEDGER).map(logPathOf),
    restart: async (replica) => {
      const startedAt = performance.now();
      const code = await stopProcess(replica);
      const endedAt = performance.now();
      await start(replica);
      return {
        code,
        stopMs: Math.round(endedAt - startedAt),
        startMs: Math.round(performance.now() - endedAt),
      };
    },
    stop: () => owned.disposeAsync(),
  };
};

const removeFromBalancer = async (balancer: Balancer, port: number): Promise<void> => {
  balancer.remove(port);
  await pause(PRE_STOP_MS);
};

type Servers = {
  environments: (replica: Replica) => Readonly<Record<string, string>>;
  databaseUrl: string;
};

/**
 * Starts PostgreSQL and NATS. Returns the database's URL and a function that returns the
 * environment of a process.
 */
const openServers = async (
  home: Home,
  { env, count }: Pick<Options, 'env' | 'count'>,
  owned: AsyncDisposableStack,
): Promise<Servers> => {
  const log = createLog({ service: 'rolling', level: 'warn' });
  const nats = await openNats({ home, env, log, onRestart: async () => {} });
  owned.defer(nats.stop);
  if (!nats.url) throw new Error('This part needs a nats-server on the PATH.');
  const server = { dir: join(home.dir, 'postgres'), port: 0, durable: true, log: () => {} };
  const postgres = await openEmbeddedPostgres(server);
  owned.defer(postgres.stop);
  const services = CATALOGUE.filter(({ hasDatabase }) => hasDatabase).map(({ name }) => name);
  const secrets: Record<string, string> = {};
  for (const name of services) secrets[name] = await home.secret(`database-${name}`, randomSecret);
  const databaseUrls = await provisionDatabases({ adminUrl: postgres.url, services, secrets });
  const ports = await choosePorts(count);
  const addresses = CATALOGUE.filter(({ servesGrpc }) => servesGrpc).map(({ name }) => [
    `${name.toUpperCase().replaceAll('-', '_')}_ADDRESS`,
    `ipv4:${ports[name]!.map((port) => `${HOST}:${port}`).join(',')}`,
  ]);
  const serviceEnvironments = await makeEnvironments({
    home,
    env: { ...env, ...(Object.fromEntries(addresses) as Record<string, string>) },
    databaseUrls,
    natsUrl: nats.url,
    grpcPorts: {},
    adminPorts: {},
    httpPort: 0,
  });
  return {
    databaseUrl: databaseUrls[API_GATEWAY]!,
    environments: ({ service, number }) => {
      const port = String(ports[service]![number]);
      const [name, value] =
        service === API_GATEWAY ? ['PORT', port] : ['GRPC_ADDRESS', `${HOST}:${port}`];
      const own = { ...serviceEnvironments[service]!, [name]: value };
      return service === LEDGER ? { ...own, LOG_LEVEL: 'info' } : own;
    },
  };
};

/** Returns `count` free ports for each service. A restarted process uses the same port again. */
const choosePorts = async (count: number): Promise<Record<string, number[]>> => {
  const ports: Record<string, number[]> = {};
  for (const { name } of CATALOGUE) {
    ports[name] = [];
    while (ports[name].length < count) ports[name].push(await choosePort({ wanted: 0 }));
  }
  return ports;
};
