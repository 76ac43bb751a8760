import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type HttpListener = {
  url: string;
  /** Takes no new request and waits for running ones, up to `timeoutMs`, then breaks them. */
  drain: (timeoutMs: number) => Promise<void>;
};

/** Longer than load balancers keep idle connections, so that they close first, in milliseconds. */
const KEEP_ALIVE_MS = 75_000;

/** Opens the public listener. Rejects with EADDRINUSE in plain words when the port is taken. */
export const listen = async (
  app: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<HttpListener> => {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, app);
  const drain = createDrain(server);
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
 * Node ends connections that are idle when it stops listening. Two kinds are left to us: those that
 * have asked nothing yet, and those whose answer is still on its way.
 */
const createDrain = (server: Server): HttpListener['drain'] => {
  const unused = new Set<Socket>();
  const running = new Set<ServerResponse>();
  let draining = false;
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    unused.delete(request.socket);
    running.add(response);
    response.once('close', () => {
      running.delete(response);
      if (draining) server.closeIdleConnections();
    });
  });
  return (timeoutMs) =>
    new Promise((resolve) => {
      draining = true;
      const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      server.closeIdleConnections();
      for (const socket of unused) socket.destroy();
      for (const response of running) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
    });
};
