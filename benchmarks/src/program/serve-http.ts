import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monotonicMs } from '../load/monotonic-clock.ts';
import { serveProgram } from './serve-program.ts';

/** Longer than any pause between two calls of a benchmark, so that connections stay open. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Runs the child's side of `openProgram` as an HTTP server on a free port, whose URL it reports.
 * `onBody` is called with the whole body of each request; `arrivedAt` is the time at which its
 * headers arrived, on the clock of load/monotonic-clock.ts.
 */
export const serveHttp = (
  onBody: (
    body: Buffer,
    response: ServerResponse,
    request: { path: string; arrivedAt: number },
  ) => void,
  answer?: (order: never) => Promise<unknown>,
): void => {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const arrivedAt = monotonicMs();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      onBody(body, response, { path: request.url ?? '', arrivedAt });
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    serveProgram({
      ready: { url: `http://127.0.0.1:${port}` },
      ...(answer ? { answer } : {}),
      stop: () => server.closeAllConnections(),
    });
  });
};
