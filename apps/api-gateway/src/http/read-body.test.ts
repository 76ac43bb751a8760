import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Request, Response } from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { isServiceError } from '@witan/contracts';
import { createBodyReader } from './read-body.ts';

const LIMIT = 1_000;
const CHUNK = `400\r\n${'x'.repeat(1_024)}\r\n`;

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
