import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { closeStalled } from './close-stalled.ts';

type ListenOptions = {
  host: string;
  port: number;
  /**
   * Milliseconds for which a drain keeps a connection open that is idle; 0 closes idle connections
   * at once.
   */
  idleGraceMs?: number;
  onStalled?: (response: ServerResponse) => void;
};

export type HttpListener = {
  url: string;
  /**
   * Stops accepting connections, waits up to `timeoutMs` for running requests, then closes the
   * remaining connections. Their responses have a DrainLimitError as `errored`.
   */
  drain: (timeoutMs: number) => Promise<void>;
};

/** Error of a response whose connection a drain closed at its limit. */
export class DrainLimitError extends Error {
  constructor() {
    super('The server stops and closed the connection of a running request');
    this.name = 'DrainLimitError';
  }
}

/**
 * Longer than common load balancers keep idle connections open, so that the load balancer and not
 * the server closes them: it may be sending a request when the server closes one.
 */
const KEEP_ALIVE_MS = 75_000;

export const listen = async (
  app: RequestListener,
  { host, port, idleGraceMs = 0, onStalled = () => {} }: ListenOptions,
): Promise<HttpListener> => {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, app);
  const drain = createDrain(server, idleGraceMs);
  closeStalled(server, { onStalled });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const isPortTaken = cause.code === 'EADDRINUSE';
      reject(
        isPortTaken
          ? new Error(`Port ${port} is taken; set PORT to a free one.`, { cause })
          : cause,
      );
    });
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return {
    url: `http://${name}:${address.port}`,
    drain,
  };
};

/**
 * Creates the function that drains connections on shutdown. A client may be sending a request on a
 * connection that looks idle here, and would lose it if the connection were closed. So an idle
 * connection stays open for `idleGraceMs`; requests in that time get `connection: close`. Streams
 * whose headers were sent before the drain cannot get that header, so the grace time also applies
 * after them. Node's own `close` would end idle connections at once.
 */
const createDrain = (server: Server, idleGraceMs: number): HttpListener['drain'] => {
  const requestsBySocket = new Map<Socket, number>();
  const running = new Set<ServerResponse>();
  let draining = false;
  const count = (socket: Socket, change: 1 | -1): void => {
    const requests = requestsBySocket.get(socket);
    if (requests === undefined) return;
    requestsBySocket.set(socket, requests + change);
    if (draining) endIdleSocket(socket);
  };
  const endIdleSocket = (socket: Socket): void => {
    if (requestsBySocket.get(socket) !== 0) return;
    setTimeout(() => requestsBySocket.get(socket) === 0 && socket.destroy(), idleGraceMs).unref();
  };
  server.on('connection', (socket: Socket) => {
    requestsBySocket.set(socket, 0);
    socket.once('close', () => requestsBySocket.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    count(socket, 1);
    if (draining) response.setHeader('connection', 'close');
    running.add(response);
    response.once('close', () => {
      running.delete(response);
      count(socket, -1);
    });
  });
  return (timeoutMs) =>
    new Promise((resolve) => {
      draining = true;
      const limit = setTimeout(() => {
        for (const response of running) response.destroy(new DrainLimitError());
        server.closeAllConnections();
      }, timeoutMs);
      // The inherited method is called, because `close` of http.Server would also end idle
      // connections.
      NetServer.prototype.close.call(server, () => {
        clearTimeout(limit);
        resolve();
      });
      for (const response of running) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      for (const socket of requestsBySocket.keys()) endIdleSocket(socket);
    });
};
