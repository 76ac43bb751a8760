import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestCertificate } from '../tls/create-test-certificate.ts';

/** A request as it arrived. */
export type Received = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Names as they were sent, in their order. */
  headerNames: string[];
  body: Buffer;
  /** Milliseconds of a clock that never goes back. */
  at: number;
  /** Answers it, when the path's answer is `wait`. */
  response: ServerResponse;
};

/** What a path answers to its n-th request, from 0; `wait` leaves it to the test. */
export type ReceiverAnswer = (turn: number, response: ServerResponse) => number | 'wait';

/** A receiver on loopback. */
export type Receiver = AsyncDisposable & {
  port: number;
  urlOf: (path: string) => string;
  /** Requests of a path, in the order of their arrival. */
  requestsOf: (path: string) => Received[];
  /** Paths without an answer of their own say 200. */
  answer: (path: string, answer: ReceiverAnswer) => void;
};

/** Speaks TLS when it has a certificate, else plain HTTP. */
export const openReceiver = async (certificate?: TestCertificate): Promise<Receiver> => {
  const received: Received[] = [];
  const answers = new Map<string, ReceiverAnswer>();
  const requestsOf = (path: string): Received[] => received.filter((one) => one.path === path);
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    const turn = requestsOf(path).length;
    received.push({
      method: request.method ?? '',
      path,
      headers: request.headers,
      headerNames: request.rawHeaders.filter((_text, place) => place % 2 === 0),
      body: Buffer.concat(chunks),
      at,
      response,
    });
    const status = answers.get(path)?.(turn, response) ?? 200;
    if (status !== 'wait' && !response.writableEnded) response.writeHead(status).end();
  };
  const onAny = (request: IncomingMessage, response: ServerResponse): void =>
    void onRequest(request, response);
  const server = certificate ? createTlsServer(certificate, onAny) : createServer(onAny);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    urlOf: (path) => `${certificate ? 'https' : 'http'}://127.0.0.1:${port}${path}`,
    requestsOf,
    answer: (path, answer) => void answers.set(path, answer),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
