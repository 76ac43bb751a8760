import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

type ListenOptions = {
  host: string;
  port: number;
  /** How long a drain leaves idle connections to their clients, in milliseconds; 0: not at all. */
  idleGraceMs?: number;
};

export type HttpListener = {
  url: string;
  /** Takes no new connection and waits for what runs, up to `timeoutMs`, then breaks it. */
  drain: (timeoutMs: number) => Promise<void>;
};

/** Longer than load balancers keep idle connections, so that they close first, in milliseconds. */
const KEEP_ALIVE_MS = 75_000;

/** Opens the public listener. Rejects with EADDRINUSE in plain words when the port is taken. */
export const listen = async (
  app: RequestListener,
  { host, port, idleGraceMs = 0 }: ListenOptions,
): Promise<HttpListener> => {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, app);
  const drain = createDrain(server, idleGraceMs);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      reject(
        taken ? new Error(`Port ${port} is taken; set PORT to a free one.`, { cause }) : cause,
      );
    });
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return {
    url: `http://${name}:${bound.port}`,
    drain,
  };
};

/**
 * A client may be sending a request on a connection that looks idle here, and lose it when that is
 * closed. So it gets a while in which whatever it asks is answered, with the word that it was the
 * last on this connection. Node itself would close at once what is idle, and leaves two kinds to
 * us: connections that have asked nothing yet, and those whose answer is still on its way.
 */
const createDrain = (server: Server, idleGraceMs: number): HttpListener['drain'] => {
  const unused = new Set<Socket>();
  const running = new Set<ServerResponse>();
  let draining = false;
  let isGraceOver = false;
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    unused.delete(request.socket);
    if (draining) response.setHeader('connection', 'close');
    running.add(response);
    response.once('close', () => {
      running.delete(response);
      if (isGraceOver) server.closeIdleConnections();
    });
  });
  const endIdle = (): void => {
    isGraceOver = true;
    server.closeIdleConnections();
    for (const socket of unused) socket.destroy();
  };
  return (timeoutMs) =>
    new Promise((resolve) => {
      draining = true;
      const limit = setTimeout(() => server.closeAllConnections(), timeoutMs);
      const grace = setTimeout(endIdle, Math.min(idleGraceMs, timeoutMs));
      // Of HTTP's own kind it would end what is idle.
      NetServer.prototype.close.call(server, () => {
        clearTimeout(limit);
        clearTimeout(grace);
        resolve();
      });
      for (const response of running) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      if (idleGraceMs === 0) endIdle();
    });
};
