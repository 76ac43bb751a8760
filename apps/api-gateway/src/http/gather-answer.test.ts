import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import type { Response } from 'express';
import { gatherAnswer } from './gather-answer.ts';
import type { Gathering } from './gather-answer.ts';

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

const BYTES_MAX = 10;

/** A server whose answers `handle` writes into a gathering; `fetch` it. */
const call = async (
  handle: (response: Response, gathering: Gathering) => void | Promise<void>,
): Promise<{ status: number; headers: Headers; text: string }> => {
  const app = express();
  app.disable('etag');
  app.get('/', (_request, response) => {
    response.setHeader('x-before', 'set');
    void handle(response, gatherAnswer(response, BYTES_MAX));
  });
  const server = createServer(app);
  closers.push(() => server.close());
  closers.push(() => server.closeAllConnections());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

describe('gatherAnswer', () => {
  it('holds an answer back until it is sent', async () => {
    const answer = await call((response, gathering) => {
      response.status(201).json({ a: 1 });
      expect(response.headersSent).toBe(false);
      expect(gathering.isTooLarge).toBe(false);
      expect(gathering.answer).toMatchObject({
        status: 201,
        headers: { 'x-before': 'set', 'content-type': 'application/json; charset=utf-8' },
      });
      expect(gathering.answer!.body.toString()).toBe('{"a":1}');
      gathering.send();
    });
    expect([answer.status, answer.text]).toEqual([201, '{"a":1}']);
    expect(answer.headers.get('x-before')).toBe('set');
    expect(answer.headers.get('content-length')).toBe('7');
  });

  it('puts together what comes in pieces, of any kind', async () => {
    const answer = await call((response, gathering) => {
      response.write('gr');
      response.write(Buffer.from('ü'));
      response.write('c39f', 'hex');
      response.end(new Uint8Array([33]));
      expect(gathering.answer!.body.toString()).toBe('grüß!');
      gathering.send();
    });
    expect(answer.text).toBe('grüß!');
  });

  it('counts the first end only, whatever is set behind it', async () => {
    const answer = await call((response, gathering) => {
      response.end('first');
      response.status(500).setHeader('x-behind', 'set').end('second');
      gathering.send();
    });
    expect([answer.status, answer.text]).toEqual([200, 'first']);
    expect(answer.headers.has('x-behind')).toBe(false);
  });

  it.each<[string, (response: Response) => void]>([
    ['at once', (response) => response.end('12345678901')],
    ['in pieces', (response) => void (response.write('123456'), response.end('78901'))],
    ['before its end', (response) => void (response.write('12345678901'), response.end())],
  ])('lets go of an answer that is too large: %s', async (_name, write) => {
    const answer = await call((response, gathering) => {
      write(response);
      expect([gathering.isTooLarge, gathering.answer]).toEqual([true, undefined]);
      expect(response.writableEnded).toBe(true);
      gathering.send();
    });
    expect(answer.text).toBe('12345678901');
  });

  it('takes an answer that is just small enough', async () => {
    const answer = await call((response, gathering) => {
      response.end('1234567890');
      expect(gathering.isTooLarge).toBe(false);
      gathering.send();
    });
    expect(answer.text).toBe('1234567890');
  });

  it('does not mind a client that has left', async () => {
    const left = call(async (response, gathering) => {
      const closed = new Promise((resolve) => void response.once('close', resolve));
      response.destroy();
      await closed;
      response.json({ a: 1 });
      expect(gathering.answer!.body.toString()).toBe('{"a":1}');
      gathering.send();
    });
    await expect(left).rejects.toThrow('fetch failed');
  });
});
