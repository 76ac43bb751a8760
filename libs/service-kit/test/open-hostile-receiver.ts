import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import type { TestCertificate } from '@witan/testing/create-test-certificate';

/**
 * A TLS server that selects its response by the path; many responses are hostile or invalid HTTP.
 * It prefers HTTP/2.
 */
export type HostileReceiver = {
  port: number;
  requests: string[];
  serverNames: (string | false)[];
  sentBytes: () => number;
  whenDisconnected: () => Promise<void>;
  close: () => Promise<void>;
};

export const openHostileReceiver = async (
  certificate: TestCertificate,
  { host = '127.0.0.1', port = 0 }: { host?: string; port?: number } = {},
): Promise<HostileReceiver> => {
  const requests: string[] = [];
  const serverNames: (string | false)[] = [];
  const sockets = new Set<TLSSocket>();
  let sentBytes = 0;
  const server = createServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
    serverNames.push(socket.servername ?? false);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    onRequest(socket, (head) => {
      requests.push(head);
      const path = head.split(' ')[1] ?? '';
      const respond = RESPONDERS[path.slice(1).split('?')[0] ?? ''] ?? ok;
      respond(socket, (bytes) => (sentBytes += bytes));
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    serverNames,
    sentBytes: () => sentBytes,
    whenDisconnected: async () => {
      const closed = (socket: TLSSocket) => new Promise((resolve) => socket.once('close', resolve));
      await Promise.all([...sockets].map(closed));
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

const onRequest = (socket: TLSSocket, respond: (head: string) => void): void => {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = text.slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (text.length < end + 4 + length) return;
    text = text.slice(end + 4 + length);
    respond(head);
  });
};

type Responder = (socket: TLSSocket, count: (bytes: number) => void) => void;

const DRIP_MS = 20;
const FLOOD_HEADER_BYTES = 64 * 1024;
const CHUNK = Buffer.alloc(16 * 1024, 'x');

const plain = (status: string, body: string, headers = ''): Responder => {
  const text = `HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
  return (socket) => socket.write(text);
};

const ok = plain('200 OK', '{"done":true}');

const repeat = (head: string, text: string): Responder => {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(text), DRIP_MS);
    socket.on('close', () => clearInterval(timer));
  };
};

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

const sendEndlessly: Responder = (socket, count) => {
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  const write = (): void => {
    let isWritable = true;
    while (isWritable && socket.writable) {
      count(CHUNK.length);
      isWritable = socket.write(CHUNK);
    }
  };
  socket.on('drain', write);
  write();
};

const RESPONDERS: Readonly<Record<string, Responder>> = {
  moved: plain('308 Permanent Redirect', '', 'location: https://elsewhere.fixture/\r\n'),
  error: plain('500 Internal Server Error', 'secret'),
  long: plain('200 OK', 'x'.repeat(10_000)),
  drip: repeat(CHUNKED, '1\r\nx\r\n'),
  'error-drip': repeat(CHUNKED.replace('200', '500'), '1\r\nx\r\n'),
  hang: () => {},
  endless: sendEndlessly,
  'continue-flood': repeat('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  'hints-flood': repeat('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  'header-flood': plain('200 OK', '', `x-flood: ${'x'.repeat(FLOOD_HEADER_BYTES)}\r\n`),
  'many-headers': plain('200 OK', '', 'x-flood: 0123456789\r\n'.repeat(4_000)),
  'low-status': (socket) => socket.write('HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n'),
  garbage: (socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'),
  upgrade: plain('101 Switching Protocols', '', 'upgrade: tcp\r\nconnection: upgrade\r\n'),
  cut: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx'),
  close: (socket) => socket.destroy(),
};
