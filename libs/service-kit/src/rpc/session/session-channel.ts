import { Client, Metadata } from '@grpc/grpc-js';
import type { ChannelCredentials, ChannelOptions } from '@grpc/grpc-js';
import { CHANNEL_OPTIONS } from '../grpc-client.ts';
import { METADATA } from '../grpc-method.ts';
import { createClientSession } from './client-session.ts';
import type { ClientSession, SessionEvents } from './client-session.ts';
import type { ReplicaAddress } from './find-replicas.ts';
import { SESSION_METHOD } from './session-method.ts';
import type { ClientSessionStream } from './session-method.ts';

/** The connection to one replica, over which its sessions are opened. */
export type SessionChannel = {
  /** Calls back when the replica can be reached, or with an error after `timeoutMs`. */
  onReady: (timeoutMs: number, then: (error?: Error) => void) => void;
  open: (events: SessionEvents) => ClientSession;
  /** Lets go when its last session is over. */
  leave: () => void;
  /** Breaks its sessions. */
  close: () => void;
};

export type SessionChannelOptions = ReplicaAddress & {
  credentials: ChannelCredentials;
  /** Answers this service's token for the target. */
  token: () => string;
};

/** What one stream may bring before it is acknowledged: a session carries many calls. */
const WINDOW_BYTES = 1024 * 1024;

/** Creates the channel; it connects when it is first waited for. */
export const createSessionChannel = (options: SessionChannelOptions): SessionChannel => {
  const client = new Client(options.target, options.credentials, channelOptions(options));
  const streams = new Set<ClientSessionStream>();
  let isLeft = false;

  const closeWhenIdle = (): void => {
    if (isLeft && streams.size === 0) client.close();
  };
  const leave = (): void => {
    isLeft = true;
    closeWhenIdle();
  };
  return {
    onReady: (timeoutMs, then) => client.waitForReady(Date.now() + timeoutMs, then),
    open: (events) => {
      const stream = startStream(client, options.token());
      streams.add(stream);
      return createClientSession(stream, {
        ...events,
        onGone: (error) => {
          streams.delete(stream);
          closeWhenIdle();
          events.onGone(error);
        },
      });
    },
    leave,
    close: () => {
      leave();
      for (const stream of streams) stream.cancel();
    },
  };
};

const channelOptions = ({ name }: ReplicaAddress): ChannelOptions => ({
  ...CHANNEL_OPTIONS,
  // grpc-js would keep what a session sends, in case it should send it again.
  'grpc.enable_retries': 0,
  'grpc-node.flow_control_window': WINDOW_BYTES,
  ...(name ? { 'grpc.default_authority': name, 'grpc.ssl_target_name_override': name } : {}),
});

const startStream = (client: Client, token: string): ClientSessionStream => {
  const metadata = new Metadata();
  metadata.set(METADATA.token, token);
  const { path, requestSerialize, responseDeserialize } = SESSION_METHOD;
  return client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
};
