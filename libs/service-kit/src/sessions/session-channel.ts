import { Client, Metadata } from '@grpc/grpc-js';
import type { ChannelCredentials, ChannelOptions } from '@grpc/grpc-js';
import { CHANNEL_OPTIONS } from '../rpc/grpc-client.ts';
import { METADATA } from '../rpc/grpc-method.ts';
import { createClientSession } from './client-session.ts';
import type { ClientSession, SessionEvents } from './client-session.ts';
import type { ReplicaAddress } from './watch-replicas.ts';
import { SESSION_METHOD } from './frames.ts';
import type { ClientSessionStream } from './frames.ts';

export type SessionChannel = {
  onReady: (timeoutMs: number, callback: (error?: Error) => void) => void;
  open: (events: SessionEvents) => ClientSession;
  drain: () => void;
  close: () => void;
};

export type SessionChannelOptions = ReplicaAddress & {
  credentials: ChannelCredentials;
  token: () => string;
};

/**
 * HTTP/2 flow-control window of a stream; large, because one stream carries the many calls of a
 * session.
 */
const WINDOW_BYTES = 1024 * 1024;

export const createSessionChannel = (options: SessionChannelOptions): SessionChannel => {
  const client = new Client(options.target, options.credentials, channelOptions(options));
  const streams = new Set<ClientSessionStream>();
  let isDraining = false;

  const closeWhenIdle = (): void => {
    if (isDraining && streams.size === 0) client.close();
  };
  const drain = (): void => {
    isDraining = true;
    closeWhenIdle();
  };
  return {
    onReady: (timeoutMs, callback) => client.waitForReady(Date.now() + timeoutMs, callback),
    open: (events) => {
      const stream = startStream(client, options.token());
      streams.add(stream);
      return createClientSession(stream, {
        ...events,
        onClose: (error) => {
          streams.delete(stream);
          closeWhenIdle();
          events.onClose(error);
        },
      });
    },
    drain,
    close: () => {
      drain();
      for (const stream of streams) stream.cancel();
    },
  };
};

const channelOptions = ({ name }: ReplicaAddress): ChannelOptions => ({
  ...CHANNEL_OPTIONS,
  // Disabled, because grpc-js would otherwise retain sent data for retries.
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
