import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createStallWatch, listen } from './listen.ts';

const STALLED_MS = 30_000;
const RESPONSE = Buffer.alloc(64 * 1024 * 1024);

describe('a client that does not read', () => {
  const open = () => {
    const closed: object[] = [];
    const destroyed: boolean[] = [];
    const watch = createStallWatch({
      stalledMs: STALLED_MS,
      onStalled: (response) => void closed.push(response),
    });
    const socket = { bytesWritten: 0, destroy: () => void destroyed.push(true) };
    const response = { socket, writableLength: 0 };
    watch.add(response);
    return { watch, response, closed, destroyed };
  };

  it('is disconnected if it reads nothing for the time limit', () => {
    const { watch, response, closed, destroyed } = open();
    Object.assign(response, { writableLength: 900, socket: { ...response.socket } });
    Object.assign(response.socket, { bytesWritten: 1_000 });
    watch.check(0);
    watch.check(STALLED_MS - 1);
    expect(closed).toEqual([]);
    watch.check(STALLED_MS);
    watch.check(STALLED_MS + 1);
    expect([closed, destroyed]).toEqual([[response], [true]]);
  });

  it('is disconnected even if more data is written', () => {
    const { watch, response, closed } = open();
    for (let nowMs = 0; nowMs <= STALLED_MS; nowMs += 1_000) {
      Object.assign(response, { writableLength: 900 + nowMs });
      response.socket.bytesWritten = 1_000 + nowMs;
      watch.check(nowMs);
    }
    expect(closed).toEqual([response]);
  });

  it('stays connected if it reads slowly', () => {
    const { watch, response, closed } = open();
    response.socket.bytesWritten = 1_000_000;
    for (let nowMs = 0; nowMs < 10 * STALLED_MS; nowMs += STALLED_MS - 1) {
      Object.assign(response, { writableLength: 900_000 - nowMs });
      watch.check(nowMs);
    }
    expect(closed).toEqual([]);
  });

  it('stays connected if it reads one long write slowly, over HTTP', async () => {
    const server = createServer((_request, response) => void response.end(RESPONSE));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const requestReceived = once(server, 'request');
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const [, response] = (await requestReceived) as [unknown, ServerResponse];
    const closed: ServerResponse[] = [];
    const watch = createStallWatch<ServerResponse>({
      stalledMs: STALLED_MS,
      onStalled: (stalled) => void closed.push(stalled),
    });
    watch.add(response);
    watch.check(0);
    for await (const _piece of socket) if (socket.bytesRead > RESPONSE.length / 2) break;
    expect(response.writableLength).toBeGreaterThan(RESPONSE.length / 2);
    watch.check(STALLED_MS);
    response.destroy();
    server.close();
    // Asserts the length, because Jest cannot print the responses in the list if the assertion
    // fails.
    expect(closed.length).toBe(0);
  });

  it('stays connected while there is nothing to read', () => {
    const { watch, closed } = open();
    for (let nowMs = 0; nowMs < 10 * STALLED_MS; nowMs += 1_000) watch.check(nowMs);
    expect(closed).toEqual([]);
  });

  it('is not checked after its response', () => {
    const { watch, response, closed } = open();
    Object.assign(response, { writableLength: 900 });
    watch.check(0);
    watch.remove(response);
    watch.check(STALLED_MS);
    expect(closed).toEqual([]);
  });

  it('is disconnected, over HTTP', async () => {
    const requested = Promise.withResolvers<ServerResponse>();
    const closed: ServerResponse[] = [];
    const { url, drain } = await listen(
      (_request, response) => {
        requested.resolve(response);
        response.end(RESPONSE);
      },
      {
        ...{ host: '127.0.0.1', port: 0, stalledMs: 50 },
        onStalled: (response) => void closed.push(response),
      },
    );
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const response = await requested.promise;
    await once(response, 'close');
    expect([closed, response.writableFinished]).toEqual([[response], false]);
    socket.destroy();
    await drain(0);
  });
});
