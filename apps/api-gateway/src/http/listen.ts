import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

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
    drain: (timeoutMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
};
