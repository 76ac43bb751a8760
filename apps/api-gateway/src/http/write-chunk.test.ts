import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { writeChunk } from './write-chunk.ts';

const closeFunctions: (() => void)[] = [];
afterEach(() => closeFunctions.splice(0).forEach((close) => close()));

type Handle = (response: Response, signal: AbortSignal) => Promise<void> | void;

const listen = async (handle: Handle): Promise<number> => {
  const server = createServer((_request, response: ServerResponse) => {
    const controller = new AbortController();
    response.on('close', () => controller.abort());
    void handle(response as Response, controller.signal);
  });
  closeFunctions.push(() => server.closeAllConnections());
  closeFunctions.push(() => server.close());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
};

const sendAndReceive = async (port: number, text: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
};

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const CLOSING_REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const bodyOf = (response: string): string => response.slice(response.indexOf('\r\n\r\n') + 4);

describe('writeChunk', () => {
  it('frames every piece as a chunk, in order, before and after the headers were sent', async () => {
    const port = await listen(async (response, signal) => {
      void writeChunk(response, 'one', signal);
      void writeChunk(response, Buffer.from('two'), signal);
      await tick();
      void writeChunk(response, 'gr\u00fc\u00df dich \u{1f642}', signal);
      void writeChunk(response, new Uint8Array(300).fill(65), signal);
      void writeChunk(response, '', signal);
      response.end('end');
    });

    const expected = [
      '3\r\none\r\n',
      '3\r\ntwo\r\n',
      '10\r\ngr\u00fc\u00df dich \u{1f642}\r\n',
      `12c\r\n${'A'.repeat(300)}\r\n`,
      '3\r\nend\r\n0\r\n\r\n',
    ];
    expect(bodyOf(await sendAndReceive(port, CLOSING_REQUEST))).toBe(expected.join(''));
  });

  it('frames nothing for a client of HTTP/1.0', async () => {
    const port = await listen(async (response, signal) => {
      for (const piece of ['one ', 'two ', 'three']) {
        void writeChunk(response, piece, signal);
        await tick();
      }
      response.end();
    });

    expect(bodyOf(await sendAndReceive(port, 'GET / HTTP/1.0\r\n\r\n'))).toBe('one two three');
  });

  it('does not mix the responses of pipelined calls', async () => {
    let calls = 0;
    const port = await listen(async (response, signal) => {
      calls += 1;
      const name = String(calls);
      // The second call starts to write before the first one has ended, and writes longer.
      for (let round = 0; round < (name === '1' ? 20 : 40); round += 1) {
        void writeChunk(response, name, signal);
        await tick();
      }
      response.end();
    });

    const responses = (await sendAndReceive(port, GET + CLOSING_REQUEST))
      .split('HTTP/1.1 200 OK')
      .slice(1);
    expect(responses.map(bodyOf)).toEqual([
      `${'1\r\n1\r\n'.repeat(20)}0\r\n\r\n`,
      `${'1\r\n2\r\n'.repeat(40)}0\r\n\r\n`,
    ]);
  });

  it('returns a promise only for a client that reads slowly', async () => {
    const waitResults: boolean[] = [];
    const bigChunk = Buffer.alloc(1024 * 1024, 'a');
    const port = await listen(async (response, signal) => {
      for (const piece of [
        'first',
        'second',
        bigChunk,
        bigChunk,
        bigChunk,
        bigChunk,
        bigChunk,
        bigChunk,
        bigChunk,
        bigChunk,
      ]) {
        const hasRoom = writeChunk(response, piece, signal);
        waitResults.push(hasRoom !== undefined);
        await hasRoom;
      }
      response.end();
    });

    const response = await sendAndReceive(port, CLOSING_REQUEST);

    expect(waitResults.slice(0, 2)).toEqual([false, false]);
    expect(waitResults.slice(2)).toContain(true);
    expect(response.length).toBeGreaterThan(8 * bigChunk.length);
    expect(response.endsWith('0\r\n\r\n')).toBe(true);
  });

  it('stops waiting when the client disconnects', async () => {
    const left = Promise.withResolvers<unknown>();
    const bigChunk = Buffer.alloc(8 * 1024 * 1024, 'a');
    const port = await listen(async (response, signal) => {
      try {
        await writeChunk(response, 'first', signal);
        for (;;) await writeChunk(response, bigChunk, signal);
      } catch (error) {
        left.resolve(error);
      }
    });
    const socket = connect(port, '127.0.0.1');
    socket.write(GET);
    socket.once('data', () => socket.destroy());

    expect(await left.promise).toMatchObject({ name: 'AbortError' });
  });
});
