import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isServiceError, ServiceError } from '@witan/contracts';
import { openScriptedProvider, respondWith } from '@witan/testing';
import OpenAI from 'openai';
import { createHttpProvider } from './http-provider.ts';
import { createOpenai } from './openai.ts';

const TIMEOUTS = { connectMs: 1_000, firstByteMs: 2_000, idleMs: 2_000 };
const never = new AbortController().signal;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const connectTo = (baseUrl: string, timeouts = TIMEOUTS) => {
  const provider = createHttpProvider({ name: 'openai', baseUrl, headers: {}, timeouts });
  closers.push(provider.close);
  return provider;
};
const serve = async (listener: RequestListener): Promise<string> => {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return isServiceError(error) ? error.reason : `no ServiceError: ${String(error)}`;
  }
  return 'no failure';
};
const readAll = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('utf8');
};

describe('the URL of a call', () => {
  it.each([
    '/v1',
    '/v1/',
    '',
    '/',
    '/proxy/openai/v1',
    '/proxy/openai/v1/',
    '/v1?api-version=2026-01-01',
    '/v1/?api-version=2026-01-01&tenant=a',
    '/deployments/gpt%205/v1',
  ])('is that of the official SDK for a base that ends in "%s"', async (suffix) => {
    const seen: string[] = [];
    const origin = await serve((request, response) => {
      seen.push(request.url ?? '');
      response.setHeader('content-type', 'application/json').end('{"data":[]}');
    });
    const baseUrl = `${origin}${suffix}`;
    const provider = connectTo(baseUrl);
    const answer = await provider.complete({ body: Buffer.from('{}'), signal: never });
    await readAll(answer.body);
    await provider.listModels(never);
    const sdk = new OpenAI({ baseURL: baseUrl, apiKey: 'sk-test', maxRetries: 0 });
    expect(seen.map((path) => origin + path)).toEqual([
      sdk.buildURL('/chat/completions', null),
      sdk.buildURL('/models', null),
    ]);
  });
});

describe('the headers of a call', () => {
  it('are those that the official SDK sends for key, organization and project', async () => {
    await using server = await openScriptedProvider();
    const settings = { apiKey: 'sk-test', organization: 'org-1', project: 'proj-1' };
    const provider = createOpenai({ ...settings, baseUrl: server.baseUrl }, TIMEOUTS);
    closers.push(provider.close);
    const body = { model: 'gpt-5', messages: [{ role: 'user' as const, content: 'hi' }] };
    const answer = await provider.complete({
      body: Buffer.from(JSON.stringify(body)),
      signal: never,
    });
    await readAll(answer.body);
    const sdk = new OpenAI({ ...settings, baseURL: server.baseUrl, maxRetries: 0 });
    await sdk.chat.completions.create(body);
    const [ours, theirs] = server.requests;
    for (const name of [
      'authorization',
      'openai-organization',
      'openai-project',
      'content-type',
      'accept',
    ]) {
      expect([name, ours!.headers[name]]).toEqual([name, theirs!.headers[name]]);
    }
    expect(ours!.body).toEqual(theirs!.body);
    expect(ours!.method).toBe(theirs!.method);
  });

  it('carry no credentials when none are configured', async () => {
    await using server = await openScriptedProvider();
    const settings = { apiKey: undefined, organization: undefined, project: undefined };
    const provider = createOpenai({ ...settings, baseUrl: server.baseUrl }, TIMEOUTS);
    closers.push(provider.close);
    const answer = await provider.complete({ body: Buffer.from('{}'), signal: never });
    await readAll(answer.body);
    expect(server.requests[0]!.headers).not.toHaveProperty('authorization');
  });
});

describe('a provider that fails', () => {
  it('is unreachable when nobody listens: nothing left', async () => {
    const origin = await serve(() => {});
    await closers.pop()!();
    const call = connectTo(origin).complete({ body: Buffer.from('{}'), signal: never });
    expect(await reasonOf(call)).toBe('PROVIDER_UNREACHABLE');
  });

  it('is unreachable when its name does not resolve', async () => {
    const provider = connectTo('http://no-such-host.invalid/v1');
    const call = provider.complete({ body: Buffer.from('{}'), signal: never });
    expect(await reasonOf(call)).toBe('PROVIDER_UNREACHABLE');
  });

  it('broke the connection when it ends before an answer: the call may have arrived', async () => {
    const origin = await serve((_request, response) => response.destroy());
    const call = connectTo(origin).complete({ body: Buffer.from('{}'), signal: never });
    expect(await reasonOf(call)).toBe('PROVIDER_STREAM_CUT');
  });

  it('broke the connection when it ends inside an answer', async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const { body } = await connectTo(origin).complete({ body: Buffer.from('{}'), signal: never });
    expect(await reasonOf(readAll(body))).toBe('PROVIDER_STREAM_CUT');
  });

  it('times out when no answer begins, and when one stops in the middle', async () => {
    const silent = await serve(() => {});
    const halting = await serve((_request, response) => {
      response.writeHead(200).write('half');
    });
    // undici's timers tick once a second.
    const short = { connectMs: 1_000, firstByteMs: 100, idleMs: 100 };
    const call = connectTo(silent, short).complete({ body: Buffer.from('{}'), signal: never });
    expect(await reasonOf(call)).toBe('PROVIDER_TIMEOUT');
    const { body } = await connectTo(halting, short).complete({
      body: Buffer.from('{}'),
      signal: never,
    });
    expect(await reasonOf(readAll(body))).toBe('PROVIDER_TIMEOUT');
  });

  it('is left with the reason of the abort', async () => {
    const origin = await serve(() => {});
    const controller = new AbortController();
    const call = connectTo(origin).complete({
      body: Buffer.from('{}'),
      signal: controller.signal,
    });
    controller.abort(new ServiceError('CANCELLED', 'client left'));
    expect(await reasonOf(call)).toBe('CANCELLED');
  });
});

describe('listing models', () => {
  it.each([
    ['a list', { data: [{ id: 'a' }, { id: 'b', object: 'model' }] }, ['a', 'b']],
    ['entries that are none', { data: [{ id: 'a' }, { id: 5 }, null, 'x'] }, ['a']],
    ['an empty list', { data: [] }, []],
  ])('reads %s', async (_name, body, expected) => {
    await using server = await openScriptedProvider();
    server.script(respondWith({ body }), { path: '/v1/models' });
    expect(await connectTo(server.baseUrl).listModels(never)).toEqual(expected);
  });

  it.each([
    ['no list', { status: 200, body: { models: [] } }],
    ['an error', { status: 500, body: { error: {} } }],
    ['an HTML page', { status: 200, body: '<html></html>' }],
    ['more than four megabytes', { status: 200, body: `{"data":[],"x":"${'a'.repeat(5e6)}"}` }],
  ])('rejects %s', async (_name, answer) => {
    await using server = await openScriptedProvider();
    server.script(respondWith(answer), { path: '/v1/models' });
    await expect(connectTo(server.baseUrl).listModels(never)).rejects.toThrow(/did not list|JSON/);
  });
});
