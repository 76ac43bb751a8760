import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Response } from 'express';
import { bufferResponse } from './buffer-response.ts';
import type { ResponseBuffer } from './buffer-response.ts';

const closeFunctions: (() => void)[] = [];
afterEach(() => closeFunctions.splice(0).forEach((close) => close()));

const BYTES_MAX = 10;

const call = async (
  handle: (response: Response, buffer: ResponseBuffer) => void | Promise<void>,
): Promise<{ status: number; headers: Headers; text: string }> => {
  const app = express();
  app.disable('etag');
  app.get('/', (_request, response) => {
    response.setHeader('x-before', 'set');
    void handle(response, bufferResponse(response, BYTES_MAX));
  });
  const server = createServer(app);
  closeFunctions.push(() => server.close());
  closeFunctions.push(() => server.closeAllConnections());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const received = await fetch(`http://127.0.0.1:${port}/`);
  return { status: received.status, headers: received.headers, text: await received.text() };
};

describe('bufferResponse', () => {
  it('buffers a response until it is sent', async () => {
    const received = await call((response, buffer) => {
      response.status(201).json({ a: 1 });
      expect(response.headersSent).toBe(false);
      expect(buffer.isTooLarge).toBe(false);
      expect(buffer.buffered).toMatchObject({
        status: 201,
        headers: { 'x-before': 'set', 'content-type': 'application/json; charset=utf-8' },
      });
      expect(buffer.buffered!.body.toString()).toBe('{"a":1}');
      buffer.send();
    });
    expect([received.status, received.text]).toEqual([201, '{"a":1}']);
    expect(received.headers.get('x-before')).toBe('set');
    expect(received.headers.get('content-length')).toBe('7');
  });

  it('joins chunks of any type', async () => {
    const received = await call((response, buffer) => {
      response.write('gr');
      response.write(Buffer.from('ü'));
      response.write('c39f', 'hex');
      response.end(new Uint8Array([33]));
      expect(buffer.buffered!.body.toString()).toBe('grüß!');
      buffer.send();
    });
    expect(received.text).toBe('grüß!');
  });

  it('ignores everything after the first end', async () => {
    const received = await call((response, buffer) => {
      response.end('first');
      response.status(500).setHeader('x-behind', 'set').end('second');
      buffer.send();
    });
    expect([received.status, received.text]).toEqual([200, 'first']);
    expect(received.headers.has('x-behind')).toBe(false);
  });

  it.each<[string, (response: Response) => void]>([
    ['at once', (response) => response.end('12345678901')],
    ['in pieces', (response) => void (response.write('123456'), response.end('78901'))],
    ['before its end', (response) => void (response.write('12345678901'), response.end())],
  ])('sends a response without buffering if it is too large: %s', async (_name, write) => {
    const received = await call((response, buffer) => {
      write(response);
      expect([buffer.isTooLarge, buffer.buffered]).toEqual([true, undefined]);
      expect(response.writableEnded).toBe(true);
      buffer.send();
    });
    expect(received.text).toBe('12345678901');
  });

  it('buffers a response of exactly the maximum size', async () => {
    const received = await call((response, buffer) => {
      response.end('1234567890');
      expect(buffer.isTooLarge).toBe(false);
      buffer.send();
    });
    expect(received.text).toBe('1234567890');
  });

  it('works after the client disconnected', async () => {
    const disconnectedCall = call(async (response, buffer) => {
      const closed = new Promise((resolve) => void response.once('close', resolve));
      response.destroy();
      await closed;
      response.json({ a: 1 });
      expect(buffer.buffered!.body.toString()).toBe('{"a":1}');
      buffer.send();
    });
    await expect(disconnectedCall).rejects.toThrow('fetch failed');
  });
});
