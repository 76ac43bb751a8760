import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { ClientSession } from './client-session.ts';
import type { SessionChannel } from './session-channel.ts';

const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 1_000;

export type Connector = {
  connect: () => void;
  connectLater: () => void;
  stop: () => void;
};

type ConnectorEvents = {
  onOpen: (session: ClientSession) => void;
  /** Called when an open session breaks or its server announces that it stops. */
  onLost: (session: ClientSession) => void;
  /** Called when the server is reachable but refused the session. */
  onRefused: (error: Error) => void;
};

export const createConnector = (channel: SessionChannel, events: ConnectorEvents): Connector => {
  let isConnecting = false;
  let isStopped = false;
  let retryMs = RETRY_MIN_MS;
  let retry: NodeJS.Timeout | undefined;

  /**
   * Connects in the root context, because a session outlives the call that triggers the connect.
   */
  const connect = (): void => context.with(ROOT_CONTEXT, waitAndOpen);
  const waitAndOpen = (): void => {
    if (isConnecting || isStopped) return;
    isConnecting = true;
    clearTimeout(retry);
    // Opens the stream only once the channel is connected, because the stream's token would expire
    // during the wait.
    channel.onReady(RETRY_MAX_MS, (error) => {
      if (!error && !isStopped) return open();
      isConnecting = false;
      // The retry delay restarts at its minimum, because the channel itself already backed off
      // during the wait.
      retryMs = RETRY_MIN_MS;
      connectLater();
    });
  };
  const connectLater = (): void => {
    if (isConnecting || isStopped) return;
    clearTimeout(retry);
    // Random jitter prevents all callers of a lost replica from reconnecting at once.
    retry = setTimeout(connect, retryMs * (0.5 + Math.random() / 2)).unref();
    retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
  };
  const open = (): void => {
    let hasOpened = false;
    const session = channel.open({
      onOpen: () => {
        hasOpened = true;
        isConnecting = false;
        retryMs = RETRY_MIN_MS;
        events.onOpen(session);
      },
      onGoingAway: () => {
        session.drain();
        events.onLost(session);
      },
      onClose: (error) => {
        if (hasOpened) return events.onLost(session);
        isConnecting = false;
        connectLater();
        if (error && !isStopped) events.onRefused(error);
      },
    });
  };
  return {
    connect,
    connectLater,
    stop: () => {
      isStopped = true;
      clearTimeout(retry);
    },
  };
};
