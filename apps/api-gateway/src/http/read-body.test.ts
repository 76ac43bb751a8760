import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Request, Response } from 'express';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { isServiceError } from '@witan/contracts';
import { createBodyReader } from './read-body.ts';

const LIMIT = 1_000;
const CHUNK = `400\r\n${'x'.repeat(1_024)}\r\n`;

const JSON_TYPE = { 'content-type': 'application/json' };

type Sent = string | Buffer<ArrayBuffer>;

const openReader = async () => {
  const read = createBodyReader({ bytesMax: LIMIT, kind: 'gateway', uploads: ['text/plain'] });
  const outcomes: unknown[] = [];
  const settled = new EventEmitter();
  const server = createServer((request, response) => {
    void read(request as Request, response as Response).then(
      (body) => {
        outcomes.push({ ...body, left: request.listenerCount('end') });
        settled.emit('settled');
        response.end();
      },
      (error: unknown) => {
        outcomes.push(isServiceError(error) ? error.message : error);
        settled.emit('settled');
        response.end();
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const send = async (body: Sent, headers: Record<string, string> = JSON_TYPE) => {
    await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
    return outcomes.pop();
  };
  return { send, port, outcomes, settled, [Symbol.dispose]: () => void server.close() };
};

describe('a body', () => {
  it('is read as bytes, text and object, and the request does not keep it', async () => {
    using reader = await openReader();
    const text = '{"a": "ü", "n": 1.0}';
    const source = Buffer.from(text);
    const read = { source, text, body: { a: 'ü', n: 1 }, left: 0 };
    expect(await reader.send(text)).toEqual(read);
    const halves = [source.subarray(0, 8), source.subarray(8)];
    const stream = new ReadableStream({
      async pull(controller) {
        const part = halves.shift();
        if (part) controller.enqueue(part);
        else controller.close();
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      },
    });
    const chunked = { method: 'POST', headers: JSON_TYPE, body: stream, duplex: 'half' } as const;
    await fetch(`http://127.0.0.1:${reader.port}/`, chunked);
    expect(reader.outcomes.pop()).toEqual(read);
    const gzip = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    expect(await reader.send(gzipSync(text), gzip)).toMatchObject({ source, text });
  });

  it.each<[string, Sent, Record<string, string>, unknown]>([
    ['that is empty', '', JSON_TYPE, { source: Buffer.from('{}'), text: '{}', body: {}, left: 0 }],
    [
      'that is an upload',
      '[',
      { 'content-type': 'text/plain; charset=x' },
      { source: Buffer.from('['), text: '', body: {}, isUpload: true, left: 0 },
    ],
    ['of another type', '{}', { 'content-type': 'text/csv' }, expect.stringContaining('Send the')],
    ['in an unknown encoding', '{}', { 'content-encoding': 'x' }, expect.stringContaining('gzip')],
    ['that is no UTF-8', Buffer.from('22ff22', 'hex'), JSON_TYPE, expect.stringContaining('UTF-8')],
    ['that ends too early', '{"a":', JSON_TYPE, expect.stringContaining('it ends too early')],
    ['that is no object', '[]', JSON_TYPE, 'The body must be a JSON object.'],
  ])('%s is read or refused as such', async (_name, body, headers, expected) => {
    using reader = await openReader();
    expect(await reader.send(body, headers)).toEqual(expected);
  });

  it('is refused if the client leaves before its end', async () => {
    using reader = await openReader();
    const socket = connect(reader.port, '127.0.0.1');
    const isSettled = once(reader.settled, 'settled');
    socket.end('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
    await isSettled;
    socket.destroy();
    expect(reader.outcomes).toEqual(['The body could not be read to its end.']);
  });
});

describe('a body that is too large', () => {
  let server: Server;
  let socket: Socket;
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);

  beforeEach(async () => {
    const read = createBodyReader({ bytesMax: LIMIT, kind: 'gateway' });
    const app = express();
    app.post('/', async (request: Request, response: Response) => {
      try {
        const { body } = await read(request, response);
        response.json(body);
      } catch (error) {
        response.status(413).json({ reason: isServiceError(error) ? error.reason : 'bug' });
      }
    });
    server = createServer(app);
    server.on('request', (request) => request.on('error', () => {}));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    process.on('uncaughtException', onError);
  });
  afterEach(async () => {
    process.off('uncaughtException', onError);
    socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });

  const answered = async (): Promise<string> => {
    let text = '';
    for await (const part of socket) {
      text += String(part);
      if (text.includes('}')) break;
    }
    return text;
  };
  const head = (length: string): string =>
    `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${length}\r\n\r\n`;

  it('is refused by its declared length before it is read', async () => {
    socket.write(head('content-length: 10000000000'));
    const text = await answered();
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain('REQUEST_TOO_LARGE');
    expect(text.toLowerCase()).toContain('connection: close');
  });

  it('is refused while it arrives, and the rest is discarded', async () => {
    socket.write(head('transfer-encoding: chunked') + CHUNK.repeat(3));
    const reading = answered();
    for (let sent = 0; sent < 50; sent += 1) {
      socket.write(CHUNK);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    expect(await reading).toMatch(/^HTTP\/1\.1 413 /);
    expect(errors).toEqual([]);
  });

  it('is refused only beyond the limit', async () => {
    const body = '{"a":1}';
    socket.write(head(`content-length: ${body.length}`) + body);
    expect(await answered()).toContain(body);
  });
});
