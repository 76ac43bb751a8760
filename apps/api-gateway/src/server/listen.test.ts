import { once } from 'node:events';
import { connect } from 'node:net';
import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DrainLimitError } from '../http/route.ts';
import { listen } from './listen.ts';
import type { HttpListener } from './listen.ts';

const LONG_MS = 60_000;

const open = async (app: RequestListener): Promise<HttpListener> => {
  const listener = await listen(app, { host: '127.0.0.1', port: 0 });
  closeFunctions.push(() => listener.drain(0));
  return listener;
};

const closeFunctions: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closeFunctions.splice(0)) await close();
});

describe('listen', () => {
  it('names the port that is already in use', async () => {
    const { url } = await open((_request, response) => void response.end());
    const port = Number(new URL(url).port);
    await expect(listen(() => {}, { host: '127.0.0.1', port })).rejects.toThrow(
      `Port ${port} is taken`,
    );
  });

  it('drains despite connections without a request', async () => {
    const { url, drain } = await open((_request, response) => void response.end('ok'));
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    // The server accepts connections in order, so after this response it has accepted the idle
    // connection too.
    expect(await (await fetch(url)).text()).toBe('ok');
    await drain(LONG_MS);
    await closed;
  });

  it('closes running requests at the timeout', async () => {
    const closed = Promise.withResolvers<Error | null>();
    const received = Promise.withResolvers<void>();
    const { url, drain } = await open((_request, response) => {
      response.once('close', () => closed.resolve(response.errored));
      received.resolve();
    });
    const response = fetch(url).catch((error: unknown) => String(error));
    await received.promise;
    await drain(10);
    expect(await response).toContain('fetch failed');
    expect(await closed.promise).toBeInstanceOf(DrainLimitError);
  });

  it('marks no response whose client disconnects', async () => {
    const closed = Promise.withResolvers<Error | null>();
    const client = new AbortController();
    const { url } = await open((_request, response) => {
      response.once('close', () => closed.resolve(response.errored));
      client.abort();
    });
    await expect(fetch(url, { signal: client.signal })).rejects.toThrow('aborted');
    expect(await closed.promise).not.toBeInstanceOf(DrainLimitError);
  });
});
