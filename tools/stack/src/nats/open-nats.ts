import { join } from 'node:path';
import { topology } from '@witan/contracts/topology';
import { applyTopology } from '@witan/service-kit';
import type { Env, Log } from '@witan/service-kit';
import { randomSecret } from '../system/home.ts';
import type { Home } from '../system/home.ts';
import { supervise } from '../system/supervise.ts';
import type { Supervisor } from '../system/supervise.ts';
import { findNatsServer, HOW_TO_GET_NATS } from './find-nats-server.ts';
import { createTopologyApplier } from './topology-applier.ts';
import type { TopologyApplier } from './topology-applier.ts';
import { NatsError } from '../postgres/postgres-error.ts';
import { openEmbeddedNats } from './open-embedded-nats.ts';

export type BrokerState = { url: string; isReady: boolean } | { missing: NatsError };

export type Nats = {
  state: BrokerState;
  url: string | undefined;
  /**
   * Returns the pid of the embedded server, which changes with each restart; undefined if there is
   * no embedded server.
   */
  pid: (() => number) | undefined;
  stop: () => Promise<void>;
};

export type NatsOptions = {
  home: Home;
  env: Env;
  log: Log;
  onRestart: () => Promise<void>;
};

/**
 * Uses the broker of `NATS_URL`, or starts an embedded server that is restarted on the same port
 * and store when it exits. Without a URL and a server that starts there is no broker, which only a
 * system in one process can do without.
 */
export const openNats = async (options: NatsOptions): Promise<Nats> => {
  const { env, log } = options;
  const given = env.NATS_URL?.trim();
  if (given) {
    const applier = createApplier(options, () => given);
    return toNats(given, applier);
  }
  const program = findNatsServer(env.PATH);
  try {
    if (program !== undefined) return await openSupervised(options, program);
  } catch (error) {
    if (!(error instanceof NatsError)) throw error;
    log.warn(
      { event: 'nats_start_failed', err: error },
      'nats-server did not start, continuing without a broker',
    );
    return withoutBroker(error);
  }
  const message = `set NATS_URL, or install nats-server (${HOW_TO_GET_NATS}).`;
  return withoutBroker(new NatsError('not-found', message));
};

const openSupervised = async (options: NatsOptions, program: string): Promise<Nats> => {
  const { home, log } = options;
  const password = await home.secret('nats', randomSecret);
  let url = '';
  let port = 0;
  const applier = createApplier(options, () => url);
  const server = await supervise({
    start: async () => {
      const dir = join(home.dir, 'nats');
      const logLine = (line: string): void =>
        log.info({ event: 'nats_start_notice', line }, 'Notice while starting nats-server');
      const opened = await openEmbeddedNats({ program, dir, port, password, log: logLine });
      ({ url, port } = opened);
      return opened;
    },
    process: 'nats',
    log,
    onRestart: async () => {
      log.info({ event: 'nats_restarted' }, 'nats-server restarted');
      const applied = applier.apply();
      await options.onRestart();
      await applied;
    },
  });
  return toNats(url, applier, server);
};

const createApplier = ({ log }: NatsOptions, findUrl: () => string): TopologyApplier =>
  createTopologyApplier({
    apply: async () => void (await applyTopology(findUrl(), topology)),
    log,
  });

const toNats = async (
  url: string,
  applier: TopologyApplier,
  server?: Supervisor,
): Promise<Nats> => ({
  state: { url, isReady: await applier.apply() },
  url,
  pid: server?.pid,
  stop: async () => {
    await applier.stop();
    await server?.stop();
  },
});

const withoutBroker = (missing: NatsError): Nats => ({
  state: { missing },
  url: undefined,
  pid: undefined,
  stop: async () => {},
});
