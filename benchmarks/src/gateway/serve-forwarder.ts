import { Agent, createServer, request as openRequest } from 'node:http';
import type {
  ClientRequest,
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestListener,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEP_ALIVE_MS, serveProgram } from '../program/serve-program.ts';

/**
 * Headers that are not forwarded: those that belong to one connection (RFC 9110 7.6.1), and `host`,
 * which names the forwarder.
 */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'host'];

export const toEndToEndHeaders = ({ headers }: IncomingMessage): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));

/**
 * Opens a request to the provider with the method, path and headers of a client's request. The
 * caller writes its body.
 */
export type OpenUpstream = (
  request: IncomingMessage,
  onAnswer: (answer: IncomingMessage) => void,
) => ClientRequest;

/**
 * Runs the child's side of `openProgram` as an HTTP server that forwards calls to the provider
 * whose URL is the first argument.
 */
export const serveForwarder = (createListener: (open: OpenUpstream) => RequestListener): void => {
  const target = new URL(process.argv[2]!);
  const agent = new Agent({ keepAlive: true });
  const listener = createListener((request, onAnswer) =>
    openRequest(
      {
        agent,
        host: target.hostname,
        port: target.port,
        path: request.url,
        method: request.method,
        headers: toEndToEndHeaders(request),
      },
      onAnswer,
    ),
  );
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener);
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    serveProgram({
      ready: { url: `http://127.0.0.1:${port}` },
      stop: () => server.closeAllConnections(),
    });
  });
};
