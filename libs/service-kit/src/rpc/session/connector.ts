import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { ClientSession } from './client-session.ts';
import type { SessionChannel } from './session-channel.ts';

/** A session that does not open is tried again after this, then after twice as long ... */
const RETRY_MIN_MS = 50;
/** ... and a restarted service is found again within a second. */
const RETRY_MAX_MS = 1_000;

/** Opens one session at a time over a channel, until one is open. */
export type Connector = {
  /** Starts now, unless it is at it. */
  connect: () => void;
  /** Starts after a pause that grows with each session that did not open. */
  connectLater: () => void;
  stop: () => void;
};

type ConnectorEvents = {
  onOpen: (session: ClientSession) => void;
  /** It takes no more calls: it broke, or its server winds up. */
  onLost: (session: ClientSession) => void;
  /** The server was reached and let no session open. */
  onRefused: (error: Error) => void;
};

/** Creates a connector that waits to be started. */
export const createConnector = (channel: SessionChannel, events: ConnectorEvents): Connector => {
  let isAtIt = false;
  let isStopped = false;
  let retryMs = RETRY_MIN_MS;
  let retry: NodeJS.Timeout | undefined;

  /** A session outlives the call that caused it, and must not run in that call's context. */
  const connect = (): void => context.with(ROOT_CONTEXT, waitAndOpen);
  const waitAndOpen = (): void => {
    if (isAtIt || isStopped) return;
    isAtIt = true;
    clearTimeout(retry);
    // A stream that waited for its connection would bring a token that is too old.
    channel.onReady(RETRY_MAX_MS, (error) => {
      if (!error && !isStopped) return open();
      isAtIt = false;
      // The channel backed off itself while it was waited for.
      retryMs = RETRY_MIN_MS;
      connectLater();
    });
  };
  const connectLater = (): void => {
    if (isAtIt || isStopped) return;
    clearTimeout(retry);
    // The callers of a replica that went away must not come back all at once.
    retry = setTimeout(connect, retryMs * (0.5 + Math.random() / 2)).unref();
    retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
  };
  const open = (): void => {
    let hasOpened = false;
    const session = channel.open({
      onOpen: () => {
        hasOpened = true;
        isAtIt = false;
        retryMs = RETRY_MIN_MS;
        events.onOpen(session);
      },
      onGoingAway: () => {
        session.leave();
        events.onLost(session);
      },
      onGone: (error) => {
        if (hasOpened) return events.onLost(session);
        isAtIt = false;
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
