import { Agent, request } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listen } from './listen.ts';

/**
 * Longer than any step of these tests takes, so that no connection is closed because its idle grace
 * or the limit of the drain has ended.
 */
const LONG_GRACE_MS = 25_000;

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
afterEach(() => agent.destroy());

type ClientResponse = { text: string; connection: string | undefined };

const get = (url: string): Promise<ClientResponse> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { agent }, (incoming) => resolve(read(incoming)));
    outgoing.on('error', reject);
    outgoing.end();
  });
const read = async (incoming: IncomingMessage): Promise<ClientResponse> => {
  const parts: string[] = [];
  for await (const part of incoming) parts.push(String(part));
  return { text: parts.join(''), connection: incoming.headers.connection };
};

const open = (app: RequestListener) => listen(app, { host: '127.0.0.1', port: 0 });

describe('draining a listener with keep-alive connections', () => {
  it('ends at once if all connections are idle', async () => {
    const { url, drain } = await open((_request, response) => void response.end('hello'));
    await get(url);
    await drain(LONG_GRACE_MS);
    await expect(get(url)).rejects.toThrow(/ECONN|socket hang up/);
  });

  it('asks the client of a running request to close its connection', async () => {
    const requestArrived = Promise.withResolvers<void>();
    const mayRespond = Promise.withResolvers<void>();
    const { url, drain } = await open((_request, response) => {
      requestArrived.resolve();
      void mayRespond.promise.then(() => response.end('done'));
    });
    const running = get(url);
    await requestArrived.promise;
    const drained = drain(LONG_GRACE_MS);
    mayRespond.resolve();
    expect(await running).toEqual({ text: 'done', connection: 'close' });
    await drained;
  });

  it('accepts no further request on the connection of a started stream', async () => {
    const streamStarted = Promise.withResolvers<void>();
    const mayRespond = Promise.withResolvers<void>();
    const { url, drain } = await open((_request, response) => {
      response.write('first ');
      streamStarted.resolve();
      void mayRespond.promise.then(() => response.end('last'));
    });
    const running = get(url);
    await streamStarted.promise;
    const drained = drain(LONG_GRACE_MS);
    mayRespond.resolve();
    expect((await running).text).toBe('first last');
    await drained;
  });

  it('serves one more request within the grace period, then closes the connection', async () => {
    const handle: RequestListener = (_request, response) => void response.end('hello');
    const { url, drain } = await listen(handle, {
      host: '127.0.0.1',
      port: 0,
      idleGraceMs: LONG_GRACE_MS,
    });
    await get(url);
    const drained = drain(LONG_GRACE_MS);
    expect(await get(url)).toEqual({ text: 'hello', connection: 'close' });
    await drained;
    await expect(get(url)).rejects.toThrow(/ECONN/);
  });

  it('serves a request right after a stream that outlasted the grace period', async () => {
    const streamStarted = Promise.withResolvers<void>();
    const mayRespond = Promise.withResolvers<void>();
    let requests = 0;
    const handle: RequestListener = (_request, response) => {
      requests += 1;
      if (requests > 1) return void response.end('hello');
      response.write('first ');
      streamStarted.resolve();
      void mayRespond.promise.then(() => response.end('last'));
    };
    const graceMs = 1_000;
    const { url, drain } = await listen(handle, {
      host: '127.0.0.1',
      port: 0,
      idleGraceMs: graceMs,
    });
    const running = get(url);
    await streamStarted.promise;
    const drained = drain(LONG_GRACE_MS);
    await pause(2 * graceMs);
    mayRespond.resolve();
    expect((await running).text).toBe('first last');
    expect(await get(url)).toEqual({ text: 'hello', connection: 'close' });
    await drained;
  });

  it('closes idle connections after the grace period', async () => {
    const handle: RequestListener = (_request, response) => void response.end('hello');
    const { url, drain } = await listen(handle, { host: '127.0.0.1', port: 0, idleGraceMs: 20 });
    await get(url);
    await drain(LONG_GRACE_MS);
    await expect(get(url)).rejects.toThrow(/ECONN|socket hang up/);
  });
});
