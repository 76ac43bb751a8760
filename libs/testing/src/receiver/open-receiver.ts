import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestCertificate } from '../tls/create-test-certificate.ts';

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  headerNames: string[];
  body: Buffer;
  /** Time of arrival in milliseconds, on a monotonic clock. */
  arrivedAtMs: number;
  /** Response to the request. The test must complete it if the responder returned `wait`. */
  response: ServerResponse;
};

/**
 * Returns the status code for the n-th request of a path, counted from 0, or `wait` if the test
 * itself completes the response.
 */
export type Responder = (requestIndex: number, response: ServerResponse) => number | 'wait';

export type Receiver = AsyncDisposable & {
  port: number;
  urlOf: (path: string) => string;
  requestsOf: (path: string) => ReceivedRequest[];
  /** Sets the responder of a path. By default the status code is 200. */
  respond: (path: string, responder: Responder) => void;
};

const LOOPBACK = '127.0.0.1';

/** Opens a receiver on a free port of `host`, over TLS if a certificate is given. */
export const openReceiver = async (
  certificate?: TestCertificate,
  host: string = LOOPBACK,
): Promise<Receiver> => {
  const received: ReceivedRequest[] = [];
  const responders = new Map<string, Responder>();
  const requestsOf = (path: string): ReceivedRequest[] =>
    received.filter((request) => request.path === path);
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrivedAtMs = performance.now();
    const body = await buffer(request).catch(() => undefined);
    // The sender disconnected before the end of its request.
    if (!body) return;
    const path = request.url ?? '';
    const requestIndex = requestsOf(path).length;
    received.push({
      method: request.method ?? '',
      path,
      headers: request.headers,
      headerNames: request.rawHeaders.filter((_text, position) => position % 2 === 0),
      body,
      arrivedAtMs,
      response,
    });
    const status = responders.get(path)?.(requestIndex, response) ?? 200;
    if (status !== 'wait' && !response.writableEnded) response.writeHead(status).end();
  };
  const handler = (request: IncomingMessage, response: ServerResponse): void =>
    void onRequest(request, response);
  const server = certificate ? createTlsServer(certificate, handler) : createServer(handler);
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    urlOf: (path) => `${certificate ? 'https' : 'http'}://${host}:${port}${path}`,
    requestsOf,
    respond: (path, responder) => void responders.set(path, responder),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
