import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monotonicMs } from '../load/latency-summary.ts';

/**
 * A message from the child to its parent: that it is ready, the result of an order, or its failure.
 */
export type ProgramMessage = { ready?: unknown; answer?: unknown; failure?: string };

/**
 * Runs the child's side of `openProgram`: reports readiness, executes orders, and ends on SIGTERM
 * or when its parent ends.
 */
export const serveProgram = (program: {
  ready: unknown;
  answer?: (order: never) => Promise<unknown>;
  stop: () => Promise<void> | void;
}): void => {
  const send = (message: ProgramMessage): void => void process.send?.(message);
  process.on('message', ({ order }: { order: unknown }) => {
    const work = program.answer?.(order as never) ?? Promise.reject(new Error('takes no orders'));
    work.then(
      (answer) => send({ answer }),
      (error: unknown) => send({ failure: error instanceof Error ? error.message : 'unknown' }),
    );
  });
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void Promise.resolve(program.stop()).finally(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('disconnect', stop);
  // Ctrl-C reaches every process of the terminal. It is ignored here, because the parent ends the
  // child.
  process.on('SIGINT', () => {});
  send({ ready: program.ready });
};

/** Longer than any pause between two calls of a benchmark, so that connections stay open. */
export const KEEP_ALIVE_MS = 120_000;

/**
 * Runs the child's side of `openProgram` as an HTTP server on a free port, whose URL it reports.
 * `onBody` is called with the whole body of each request; `arrivedAt` is the time at which its
 * headers arrived, on the clock of `monotonicMs`.
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
    readBody(request, (body) => onBody(body, response, { path: request.url ?? '', arrivedAt }));
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

/** Calls `onBody` with the whole body of a request. */
export const readBody = (request: IncomingMessage, onBody: (body: Buffer) => void): void => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
};

export const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8' };

/**
 * Writes one frame per event-loop iteration without further delay, so that each is a separate
 * socket write.
 */
export const streamFrames = (
  response: ServerResponse,
  frames: readonly (Buffer | string)[],
  onEnd: () => void = () => {},
): void => {
  let next = 0;
  response.writeHead(200, STREAM_HEADERS);
  const writeNext = (): void => {
    response.write(frames[next]!);
    next += 1;
    if (next < frames.length) {
      setImmediate(writeNext);
      return;
    }
    response.end();
    onEnd();
  };
  writeNext();
};
