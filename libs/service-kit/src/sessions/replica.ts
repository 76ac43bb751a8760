import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { ClientSession } from './client-session.ts';
import { createSessionChannel } from './session-channel.ts';
import type { SessionChannelOptions } from './session-channel.ts';

export type Replica = {
  session: () => ClientSession | undefined;
  /**
   * Opens a new session, unless one is already being opened. It replaces the current one as soon as
   * it is open.
   */
  renew: () => void;
  drain: () => void;
  close: () => void;
};

type ReplicaOptions = SessionChannelOptions & {
  onChange: () => void;
  /** Called when opening a session fails although the channel was connected. */
  onRefused: (error: Error) => void;
};

const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 1_000;

/**
 * Connects to a replica and stays connected: it opens a new session when the current one breaks or
 * its server announces that it stops.
 */
export const openReplica = (options: ReplicaOptions): Replica => {
  const channel = createSessionChannel(options);
  let current: ClientSession | undefined;
  let isConnecting = false;
  let isDraining = false;

  const connect = (): void => {
    if (isConnecting || isDraining) return;
    isConnecting = true;
    retry.cancel();
    // Opens the stream only once the channel is connected, because the stream's token would expire
    // during the wait.
    channel.onReady(RETRY_MAX_MS, (error) => {
      if (!error && !isDraining) return openSession();
      isConnecting = false;
      // The channel itself already backed off during the wait.
      retry.reset();
      connectLater();
    });
  };
  // Connects in the root context, because a session outlives the call that triggers the connect.
  const connectInRoot = (): void => context.with(ROOT_CONTEXT, connect);
  const retry = createRetry(connectInRoot);
  const connectLater = (): void => {
    if (!isConnecting && !isDraining) retry.schedule();
  };
  const openSession = (): void => {
    let hasOpened = false;
    const session = channel.open({
      onOpen: () => {
        hasOpened = true;
        isConnecting = false;
        retry.reset();
        if (isDraining) return session.drain();
        current?.drain();
        current = session;
        options.onChange();
      },
      onGoingAway: () => {
        session.drain();
        onLost(session);
      },
      onClose: (error) => {
        if (hasOpened) return onLost(session);
        isConnecting = false;
        connectLater();
        if (error && !isDraining) options.onRefused(error);
      },
    });
  };
  const onLost = (session: ClientSession): void => {
    if (current !== session) return;
    current = undefined;
    options.onChange();
    connectLater();
  };
  const drain = (): void => {
    isDraining = true;
    retry.cancel();
    current?.drain();
    channel.drain();
  };
  const close = (): void => {
    drain();
    channel.close();
  };
  connectInRoot();
  return { session: () => current, renew: connectInRoot, drain, close };
};

/** Schedules retries. The delay doubles with each one, up to `RETRY_MAX_MS`, until `reset`. */
const createRetry = (connect: () => void) => {
  let retryMs = RETRY_MIN_MS;
  let timer: NodeJS.Timeout | undefined;
  return {
    schedule: (): void => {
      clearTimeout(timer);
      // Random jitter prevents all callers of a lost replica from reconnecting at once.
      timer = setTimeout(connect, retryMs * (0.5 + Math.random() / 2)).unref();
      retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
    },
    reset: (): void => {
      retryMs = RETRY_MIN_MS;
    },
    cancel: (): void => clearTimeout(timer),
  };
};
