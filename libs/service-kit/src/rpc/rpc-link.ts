import type { Server } from '@grpc/grpc-js';
import type { Dispatcher } from './dispatcher.ts';
import { createGrpcTransport } from './grpc-client.ts';
import type { GrpcTransportOptions } from './grpc-client.ts';
import type { Transport } from './transport.ts';

/** Connects services in separate processes. Callers and callees must use the same one. */
export type RpcLink = {
  connect: (options: GrpcTransportOptions) => Transport;
  /** Adds what the calls of `connect` need beside the services themselves. */
  addTo: (server: Server, options: RpcLinkOptions) => void;
};

export type RpcLinkOptions = {
  dispatcher: Dispatcher;
  /** Returns the caller's name. Throws CALLER_REFUSED for an invalid token. */
  verifyCaller: (token: string) => string;
};

export const plainGrpc: RpcLink = { connect: createGrpcTransport, addTo: () => {} };
