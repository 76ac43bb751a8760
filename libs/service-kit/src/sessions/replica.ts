import type { ClientSession } from './client-session.ts';
import { createConnector } from './connector.ts';
import { createSessionChannel } from './session-channel.ts';
import type { SessionChannelOptions } from './session-channel.ts';

export type Replica = {
  session: () => ClientSession | undefined;
  /** Opens a new session. It replaces the current one as soon as it is open. */
  renew: () => void;
  drain: () => void;
  close: () => void;
};

type ReplicaOptions = SessionChannelOptions & {
  onChange: () => void;
  onRefused: (error: Error) => void;
};

export const openReplica = (options: ReplicaOptions): Replica => {
  const channel = createSessionChannel(options);
  let current: ClientSession | undefined;
  let isDraining = false;

  const connector = createConnector(channel, {
    onOpen: (session) => {
      if (isDraining) return session.drain();
      current?.drain();
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
  const drain = (): void => {
    isDraining = true;
    connector.stop();
    current?.drain();
    channel.drain();
  };
  connector.connect();
  return {
    session: () => current,
    renew: connector.connect,
    drain,
    close: () => {
      drain();
      channel.close();
    },
  };
};
