// Runs the reference system, which forwards calls in bare node:http without parsing their bodies.
import { Agent, createServer, request as openRequest } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveProgram } from '../program/serve-program.ts';

const KEEP_ALIVE_MS = 120_000;
/**
 * Headers that are not forwarded: those that belong to one connection (RFC 9110 7.6.1), and `host`,
 * which names the pipe.
 */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'host'];

const target = new URL(process.argv[2]!);
const agent = new Agent({ keepAlive: true });

const toEndToEndHeaders = ({ headers }: IncomingMessage): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  const upstream = openRequest(
    {
      agent,
      host: target.hostname,
      port: target.port,
      path: request.url,
      method: request.method,
      headers: toEndToEndHeaders(request),
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, toEndToEndHeaders(answer));
      answer.pipe(response);
    },
  );
  upstream.on('error', () => response.destroy());
  request.pipe(upstream);
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  serveProgram({
    ready: { url: `http://127.0.0.1:${port}` },
    stop: () => server.closeAllConnections(),
  });
});
