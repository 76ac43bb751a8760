import { connect } from '@nats-io/transport-node';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import type { Log } from '../log/create-log.ts';
import { createWakeSignal } from './wake-signal.ts';
import type { WakeSignal } from './wake-signal.ts';

/** The way to the broker: a connection that is opened again for ever, or none at all. */
export type Broker = AsyncDisposable & {
  isConnected: () => boolean;
  /** Calls at every new connection, and at once when there is one. Answers what ends it. */
  onConnect: (listener: () => void) => () => void;
  /** Runs `work` with the connection. Rejects with BrokerAway as soon as there is none. */
  use: <T>(work: (connection: NatsConnection) => Promise<T>) => Promise<T>;
  /** Rejects while the broker cannot be reached; a detail, for a service is ready without it. */
  check: () => Promise<void>;
};

/** There is no connection to the broker, or it broke: what was sent may have arrived. */
export class BrokerAway extends Error {
  constructor(cause?: unknown) {
    super('There is no connection to the broker.', { cause });
    this.name = 'BrokerAway';
  }
}

const CONNECT_TIMEOUT_MS = 3_000;
const RECONNECT_MS = 250;
const RECONNECT_JITTER_MS = 250;
/** A broker that says nothing for three of these hangs. */
const PING_MS = 3_000;
const PINGS_MAX = 2;

/** Answers at once; without a URL the broker is absent for ever. */
export const openBroker = async (options: BrokerOptions): Promise<Broker> => {
  const line = createLine(options.log);
  const closing = new AbortController();
  const bell = createWakeSignal();
  const keeping = keepOpen(options, line, { signal: closing.signal, bell });
  return {
    use: line.use,
    isConnected: line.isConnected,
    onConnect: line.onConnect,
    check: () => line.use((connection) => connection.flush()),
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      bell.ring();
      await line.close();
      await keeping;
    },
  };
};

type BrokerOptions = {
  url: string | undefined;
  /** Shown by the broker's own tools. */
  name: string;
  log: Log;
};

/** Opens the connection again when the client gave it up. */
const keepOpen = async (
  { url, name, log }: BrokerOptions,
  line: Line,
  { signal, bell }: { signal: AbortSignal; bell: WakeSignal },
): Promise<void> => {
  let isTold = false;
  while (url !== undefined && !signal.aborted) {
    try {
      const connection = await connect({ ...toConnectionOptions(url), name });
      isTold = false;
      if (signal.aborted) await connection.close();
      else await line.follow(connection);
    } catch (err) {
      if (!isTold) log.warn({ err }, 'broker not reachable; will go on trying');
      isTold = true;
    }
    if (!signal.aborted) await bell.heard(RECONNECT_MS + Math.random() * RECONNECT_JITTER_MS);
  }
};

type Line = Pick<Broker, 'isConnected' | 'onConnect' | 'use'> & {
  /** Offers a connection, through its ups and downs, until it is closed. */
  follow: (connection: NatsConnection) => Promise<void>;
  close: () => Promise<void>;
};

const createLine = (log: Log): Line => {
  const listeners = new Set<() => void>();
  const losers = new Set<(error: Error) => void>();
  let connection: NatsConnection | undefined;
  let isConnected = false;
  let isClosing = false;
  const onConnected = (): void => {
    isConnected = true;
    log.info({}, 'broker connected');
    for (const listener of listeners) listener();
  };
  const onLost = (cause?: unknown): void => {
    if (!isConnected) return;
    isConnected = false;
    if (!isClosing) log.warn({}, 'broker connection lost');
    for (const lose of [...losers]) lose(new BrokerAway(cause));
  };
  const watch = async (opened: NatsConnection): Promise<void> => {
    for await (const status of opened.status()) {
      if (status.type === 'disconnect') onLost();
      if (status.type === 'reconnect') onConnected();
      if (status.type === 'error') log.warn({ err: status.error }, 'the broker complains');
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
      const opened = connection;
      if (!opened || !isConnected) return Promise.reject(new BrokerAway());
      // No race with one long-lived promise: every race would stay in its memory.
      return new Promise((resolve, reject) => {
        losers.add(reject);
        void runAsync(() => work(opened))
          .then(resolve, reject)
          .finally(() => losers.delete(reject));
      });
    },
    follow: async (opened) => {
      connection = opened;
      void watch(opened);
      onConnected();
      onLost(await opened.closed());
      connection = undefined;
    },
    close: async () => {
      isClosing = true;
      await connection?.close();
    },
  };
};

/** What throws at once rejects, too. */
const runAsync = async <T>(work: () => Promise<T>): Promise<T> => await work();

/** How to connect to a URL, or several with commas between them; the first has the credentials. */
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
    // Credentials that are being changed are wrong for a while.
    ignoreAuthErrorAbort: true,
    pingInterval: PING_MS,
    maxPingOut: PINGS_MAX,
  };
};
