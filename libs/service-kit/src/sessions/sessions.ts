import type { UntypedHandleCall } from '@grpc/grpc-js';
import type { RpcLink } from '../rpc/rpc-link.ts';
import { createSessionHandler } from './serve-session.ts';
import { SESSION_METHOD } from './session-method.ts';
import { createSessionTransport } from './session-transport.ts';

export { createSessionTransport };

/**
 * Connects services over sessions: one long-lived gRPC stream per replica, which all unary and
 * server-streaming calls share. Duplex calls use plain gRPC.
 */
export const sessions: RpcLink = {
  connect: createSessionTransport,
  addTo: (server, options) => {
    server.addService(
      { open: SESSION_METHOD },
      { open: createSessionHandler(options) as UntypedHandleCall },
    );
  },
};
