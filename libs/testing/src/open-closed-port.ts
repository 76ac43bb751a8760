import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A port of 127.0.0.1 that refuses connections. */
export type ClosedPort = AsyncDisposable & { port: number };

/**
 * Reserves a port on which no server listens. It is the local port of an open connection, so the
 * system gives it to no other program that asks for a free port. Disposing frees the port.
 */
export const openClosedPort = async (): Promise<ClosedPort> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[serverSide]] = await Promise.all([accepted, once(socket, 'connect')]);
  socket.resume();
  return {
    port: socket.localPort!,
    [Symbol.asyncDispose]: async () => {
      server.close();
      (serverSide as Socket).destroy();
      if (!socket.closed) await once(socket, 'close');
    },
  };
};
