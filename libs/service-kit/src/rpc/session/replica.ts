import type { ClientSession } from './client-session.ts';
import { createConnector } from './connector.ts';
import { createSessionChannel } from './session-channel.ts';
import type { SessionChannelOptions } from './session-channel.ts';

/** A session with one process that answers calls. */
export type Replica = {
  /** The session that takes calls now, if one is open. */
  session: () => ClientSession | undefined;
  /** Opens a new session, which takes the calls from when it is open. */
  renew: () => void;
  /** Takes no more calls, lets the running ones end and lets go. */
  leave: () => void;
  /** Breaks what runs and lets go. */
  close: () => void;
};

type ReplicaOptions = SessionChannelOptions & {
  /** A session opened or was lost. */
  onChange: () => void;
  /** The replica was reached and let no session open. */
  onRefused: (error: Error) => void;
};

/** Keeps a session with one replica open until it is left or closed. */
export const openReplica = (options: ReplicaOptions): Replica => {
  const channel = createSessionChannel(options);
  let current: ClientSession | undefined;
  let isLeft = false;

  const connector = createConnector(channel, {
    onOpen: (session) => {
      if (isLeft) return session.leave();
      current?.leave();
      current = session;
      options.onChange();
    },
    onLost: (session) => {
      if (current !== session) return;
      current = undefined;
      options.onChange();
      connector.connectLater();
    },
    onRefused: options.onRefused,
  });
  const leave = (): void => {
    isLeft = true;
    connector.stop();
    current?.leave();
    channel.leave();
  };
  connector.connect();
  return {
    session: () => current,
    renew: connector.connect,
    leave,
    close: () => {
      leave();
      channel.close();
    },
  };
};
