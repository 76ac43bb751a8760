import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { DrainLimitError } from '../http/route.ts';

type ListenOptions = {
  host: string;
  port: number;
  /**
   * Milliseconds for which a drain keeps a connection open that is idle; 0 closes idle connections
   * at once.
   */
  idleGraceMs?: number;
  /** Milliseconds for which a client may read nothing of its response; then it is disconnected. */
  stalledMs?: number;
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

/**
 * Longer than common load balancers keep idle connections open, so that the load balancer and not
 * the server closes them: it may be sending a request when the server closes one.
 */
const KEEP_ALIVE_MS = 75_000;
const STALLED_MS = 30_000;
const STALL_CHECK_EVERY_MS = 5_000;

/** Serves `app`, and watches its responses until they are closed. */
export const listen = async (
  app: RequestListener,
  { host, port, idleGraceMs = 0, stalledMs = STALLED_MS, onStalled = () => {} }: ListenOptions,
): Promise<HttpListener> => {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, app);
  const stalls = createStallWatch({ stalledMs, onStalled });
  const connections = watchConnections(server, idleGraceMs);
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    connections.begin(socket, response);
    stalls.add(response);
    response.once('close', () => {
      stalls.remove(response);
      connections.end(socket, response);
    });
  });
  const checkEveryMs = Math.min(STALL_CHECK_EVERY_MS, stalledMs);
  const timer = setInterval(() => stalls.check(performance.now()), checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));
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
  return { url: `http://${name}:${address.port}`, drain: connections.drain };
};

/**
 * Watches which connections have running requests, to drain them on shutdown. A client may be
 * sending a request on a connection that looks idle here, and would lose it if the connection were
 * closed. So an idle connection stays open for `idleGraceMs`; requests in that time get
 * `connection: close`. Streams whose headers were sent before the drain cannot get that header, so
 * the grace time also applies after them. Node's own `close` would end idle connections at once.
 */
const watchConnections = (server: Server, idleGraceMs: number) => {
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
  return {
    begin: (socket: Socket, response: ServerResponse): void => {
      count(socket, 1);
      if (draining) response.setHeader('connection', 'close');
      running.add(response);
    },
    end: (socket: Socket, response: ServerResponse): void => {
      running.delete(response);
      count(socket, -1);
    },
    drain: (timeoutMs: number): Promise<void> =>
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
      }),
  };
};

type WatchedResponse = Pick<ServerResponse, 'writableLength'> & {
  socket: WatchedSocket | null;
};

type WatchedSocket = {
  readonly bytesWritten: number;
  destroy: () => void;
  /**
   * Internal to Node, but the only source for the bytes of a single long write that are not sent
   * yet.
   */
  readonly _handle?: { readonly writeQueueSize: number } | null;
};

type Progress = { sentBytes: number; queuedBytes: number; sinceMs: number };

/**
 * Creates a watch that closes connections whose client has read nothing for `stalledMs`, because
 * unread data takes memory here, in the other services and at the provider. Clients that read
 * slowly are not affected.
 */
export const createStallWatch = <R extends WatchedResponse>({
  stalledMs,
  onStalled,
}: {
  stalledMs: number;
  onStalled: (response: R) => void;
}) => {
  const progressByResponse = new Map<R, Progress>();
  const checkProgress = (response: R, progress: Progress, nowMs: number): void => {
    const { socket, writableLength } = response;
    const sentBytes = (socket?.bytesWritten ?? 0) - writableLength;
    const queuedBytes = socket?._handle?.writeQueueSize ?? 0;
    const hasProgress = sentBytes !== progress.sentBytes || queuedBytes !== progress.queuedBytes;
    if (!socket || writableLength === 0 || hasProgress) {
      progressByResponse.set(response, { sentBytes, queuedBytes, sinceMs: nowMs });
    } else if (nowMs - progress.sinceMs >= stalledMs) {
      onStalled(response);
      progressByResponse.delete(response);
      socket.destroy();
    }
  };
  return {
    add: (response: R): void =>
      void progressByResponse.set(response, { sentBytes: -1, queuedBytes: 0, sinceMs: 0 }),
    remove: (response: R): void => void progressByResponse.delete(response),
    /**
     * Closes every connection that had unsent data for `stalledMs` and made no progress; `nowMs` is
     * a monotonic time.
     */
    check: (nowMs: number): void => {
      for (const [response, progress] of progressByResponse)
        checkProgress(response, progress, nowMs);
    },
  };
};
