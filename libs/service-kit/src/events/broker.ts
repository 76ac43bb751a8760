import { connect } from '@nats-io/transport-node';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import type { Log } from '../log/create-log.ts';
import { createWakeSignal } from '../schedule/wake-signal.ts';
import type { WakeSignal } from '../schedule/wake-signal.ts';
import type { EnvReader } from '../config/read-env.ts';

export type Broker = AsyncDisposable & {
  isConnected: () => boolean;
  /**
   * Calls the listener after every connect, and immediately if already connected. Returns a
   * function that removes the listener.
   */
  onConnect: (listener: () => void) => () => void;
  /**
   * Runs `work` with the connection. Rejects with BrokerUnavailable if there is no connection, or
   * if it is lost before `work` ends.
   */
  use: <T>(work: (connection: NatsConnection) => Promise<T>) => Promise<T>;
};

/**
 * Thrown if the broker is not connected, or if the connection is lost during a call. In the second
 * case the broker may have received the message.
 */
export class BrokerUnavailable extends Error {
  constructor(cause?: unknown) {
    super('There is no connection to the broker.', { cause });
    this.name = 'BrokerUnavailable';
  }
}

const CONNECT_TIMEOUT_MS = 3_000;
const RECONNECT_MS = 250;
const RECONNECT_JITTER_MS = 250;
const PING_MS = 3_000;
const PINGS_MAX = 2;

/** Starts connecting in the background and resolves at once. */
export const openBroker = async (options: BrokerOptions): Promise<Broker> => {
  const tracker = createConnectionTracker(options.log);
  const closing = new AbortController();
  const wakeSignal = createWakeSignal();
  const maintaining = maintainConnection(options, tracker, { signal: closing.signal, wakeSignal });
  return {
    use: tracker.use,
    isConnected: tracker.isConnected,
    onConnect: tracker.onConnect,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      wakeSignal.notify();
      await tracker.close();
      await maintaining;
    },
  };
};

type BrokerOptions = {
  url: string;
  name: string;
  log: Log;
};

const maintainConnection = async (
  { url, name, log }: BrokerOptions,
  tracker: ConnectionTracker,
  { signal, wakeSignal }: { signal: AbortSignal; wakeSignal: WakeSignal },
): Promise<void> => {
  let isReported = false;
  while (!signal.aborted) {
    try {
      const connection = await connect({ ...toConnectionOptions(url), name });
      isReported = false;
      if (signal.aborted) await connection.close();
      else await tracker.track(connection);
    } catch (err) {
      if (!isReported)
        log.warn(
          { event: 'broker_connect_failed', err },
          'Connecting to the broker failed, will retry',
        );
      isReported = true;
    }
    if (!signal.aborted) await wakeSignal.wait(RECONNECT_MS + Math.random() * RECONNECT_JITTER_MS);
  }
};

type ConnectionTracker = Pick<Broker, 'isConnected' | 'onConnect' | 'use'> & {
  track: (connection: NatsConnection) => Promise<void>;
  close: () => Promise<void>;
};

const createConnectionTracker = (log: Log): ConnectionTracker => {
  const listeners = new Set<() => void>();
  const pendingRejects = new Set<(error: Error) => void>();
  let connection: NatsConnection | undefined;
  let isConnected = false;
  let isClosing = false;
  const onConnected = (): void => {
    isConnected = true;
    log.info({ event: 'broker_connected' }, 'Broker connected');
    for (const listener of listeners) listener();
  };
  const onLost = (cause?: unknown): void => {
    if (!isConnected) return;
    isConnected = false;
    if (!isClosing) log.warn({ event: 'broker_disconnected' }, 'Broker connection lost');
    for (const reject of [...pendingRejects]) reject(new BrokerUnavailable(cause));
  };
  const watch = async (openedConnection: NatsConnection): Promise<void> => {
    for await (const status of openedConnection.status()) {
      if (status.type === 'disconnect') onLost();
      if (status.type === 'reconnect') onConnected();
      if (status.type === 'error')
        log.warn({ event: 'broker_error', err: status.error }, 'Broker reported an error');
    }
  };
  return {
    isConnected: () => isConnected,
    onConnect: (listener) => {
      listeners.add(listener);
      if (isConnected) listener();
      return () => void listeners.delete(listener);
    },
    use: (work) => {
      const openedConnection = connection;
      if (!openedConnection || !isConnected) return Promise.reject(new BrokerUnavailable());
      // Not `Promise.race` with a promise that lives as long as the connection, because that
      // promise would retain every race.
      return new Promise((resolve, reject) => {
        pendingRejects.add(reject);
        void Promise.resolve(openedConnection)
          .then(work)
          .then(resolve, reject)
          .finally(() => pendingRejects.delete(reject));
      });
    },
    track: async (openedConnection) => {
      connection = openedConnection;
      void watch(openedConnection);
      onConnected();
      onLost(await openedConnection.closed());
      connection = undefined;
    },
    close: async () => {
      isClosing = true;
      await connection?.close();
    },
  };
};

/**
 * Converts one URL, or several separated by commas, to connection options. The first URL determines
 * user and password, or token, and whether TLS is used.
 */
export const toConnectionOptions = (url: string): ConnectionOptions => {
  const texts = url.split(',').map((text) => text.trim());
  const urls = texts.map((text) => new URL(text.includes('://') ? text : `nats://${text}`));
  const { username, password, protocol } = urls[0]!;
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    ...(pass ? { user, pass } : user ? { token: user } : {}),
    ...(protocol === 'tls:' ? { tls: {} } : {}),
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_JITTER_MS,
    // Keeps reconnecting after authentication errors, because credentials can be temporarily wrong
    // during a rotation.
    ignoreAuthErrorAbort: true,
    pingInterval: PING_MS,
    maxPingOut: PINGS_MAX,
  };
};

const SCHEMES = new Set(['nats:', 'tls:']);

/**
 * Reads `NATS_URL`, for example `nats://host:4222`; commas separate the servers of a cluster.
 * Returns undefined if it is not set, which is an error if a broker is required.
 */
export const readNatsUrl = (read: EnvReader, isRequired: boolean): string | undefined => {
  const servers = read.list('NATS_URL');
  if (isRequired && servers.length === 0) {
    read.addError(
      'NATS_URL is required: set it to the URL of the broker. Only a system in one process' +
        ' (`npm start`, `witan serve all`) needs none',
    );
  }
  const hasKnownScheme = (text: string): boolean =>
    URL.canParse(text) && SCHEMES.has(new URL(text).protocol) && new URL(text).hostname !== '';
  if (!servers.every(hasKnownScheme)) {
    read.addError('NATS_URL must hold URLs starting with nats: or tls:, separated by commas');
  }
  return servers.length === 0 ? undefined : servers.join(',');
};
