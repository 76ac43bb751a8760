import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isServiceError, ServiceError } from '@witan/contracts';
import { createGate, openScriptedProvider, respondWith, streamFrames } from '@witan/testing';
import OpenAI from 'openai';
import { serveHttp } from '../../../test/serve-http.ts';
import { readBody } from '../provider.ts';
import type { AnswerBody, ProviderRequest } from '../provider.ts';
import { createHttpProvider, stopWith } from './http-provider.ts';
import type { HttpProviderOptions } from './http-provider.ts';
import { createOpenai } from './openai.ts';

const TIMEOUTS = { connectMs: 1_000, firstByteMs: 2_000, idleMs: 2_000 };
const neverAborted = new AbortController().signal;
const CALL: ProviderRequest = {
  dialect: 'chat-completions',
  body: Buffer.from('{}'),
  headers: {},
  query: '',
  stop: { reason: undefined, onStop: undefined },
};

let disposables = new AsyncDisposableStack();
afterEach(async () => {
  await disposables.disposeAsync();
  disposables = new AsyncDisposableStack();
});

const connectTo = (baseUrl: string, options: Partial<HttpProviderOptions> = {}) => {
  const provider = createHttpProvider({
    name: 'openai',
    dialects: ['chat-completions'],
    baseUrl,
    paths: { complete: { 'chat-completions': '/chat/completions' }, models: '/models' },
    headers: {},
    headersFor: () => ({}),
    timeouts: TIMEOUTS,
    ...options,
  });
  disposables.defer(provider.close);
  return provider;
};
const connectOpenai = (settings: Partial<Parameters<typeof createOpenai>[0]>) => {
  const noCredentials = {
    apiKey: undefined,
    organization: undefined,
    project: undefined,
    baseUrl: '',
  };
  const provider = createOpenai({ ...noCredentials, ...settings }, { timeouts: TIMEOUTS });
  disposables.defer(provider.close);
  return provider;
};
const serve = async (listener: RequestListener): Promise<string> =>
  disposables.use(await serveHttp(listener)).origin;

const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return isServiceError(error) ? error.reason : `not a ServiceError: ${String(error)}`;
  }
  return 'no failure';
};
const readAll = async (body: AnswerBody): Promise<string> =>
  (await readBody(body, Infinity)).toString('utf8');

const pathsAt = async (suffix: string, query = ''): Promise<string[]> => {
  const seen: string[] = [];
  const origin = await serve((request, response) => {
    seen.push(request.url ?? '');
    response.setHeader('content-type', 'application/json').end('{"data":[]}');
  });
  const provider = connectTo(`${origin}${suffix}`);
  await readAll((await provider.complete({ ...CALL, query })).body);
  await provider.listModels(neverAborted);
  return seen;
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
  ])('equals that of the official SDK for a base URL that ends in "%s"', async (suffix) => {
    const origin = 'https://api.example';
    const sdk = new OpenAI({ baseURL: origin + suffix, apiKey: 'sk-test', maxRetries: 0 });
    expect((await pathsAt(suffix)).map((path) => origin + path)).toEqual([
      sdk.buildURL('/chat/completions', null),
      sdk.buildURL('/models', null),
    ]);
  });

  it.each([
    ['alone', '/v1', 'beta=true', '?beta=true', ''],
    ['after that of the base URL', '/v1?a=1', 'beta=true&x=%20', '?a=1&beta=true&x=%20', '?a=1'],
    ['not if it is empty', '/v1?a=1', '', '?a=1', '?a=1'],
  ])('has the query of the client %s', async (_name, suffix, query, complete, models) => {
    expect(await pathsAt(suffix, query)).toEqual([
      `/v1/chat/completions${complete}`,
      `/v1/models${models}`,
    ]);
  });
});

describe('the headers of a call', () => {
  const BODY = { model: 'gpt-5', messages: [{ role: 'user' as const, content: 'hi' }] };

  it('equal those of the official SDK for key, organization and project', async () => {
    await using server = await openScriptedProvider();
    const settings = { apiKey: 'sk-test', organization: 'org-1', project: 'proj-1' };
    const provider = connectOpenai({ ...settings, baseUrl: server.baseUrl });
    const body = Buffer.from(JSON.stringify(BODY));
    await readAll((await provider.complete({ ...CALL, body })).body);
    const sdk = new OpenAI({ ...settings, baseURL: server.baseUrl, maxRetries: 0 });
    await sdk.chat.completions.create(BODY);
    const [ownRequest, clientRequest] = server.requests;
    for (const name of [
      'authorization',
      'openai-organization',
      'openai-project',
      'content-type',
      'accept',
    ]) {
      expect([name, ownRequest!.headers[name]]).toEqual([name, clientRequest!.headers[name]]);
    }
    expect(ownRequest!.body).toEqual(clientRequest!.body);
    expect(ownRequest!.method).toBe(clientRequest!.method);
  });

  it('carry no credentials when none are configured', async () => {
    await using server = await openScriptedProvider();
    const provider = connectOpenai({ baseUrl: server.baseUrl });
    await readAll((await provider.complete(CALL)).body);
    expect(server.requests[0]!.headers).not.toHaveProperty('authorization');
  });

  it('include the client’s headers of the dialect, which cannot override ours', async () => {
    await using server = await openScriptedProvider();
    const provider = connectOpenai({ apiKey: 'sk-ours', baseUrl: server.baseUrl });
    const headers = { 'openai-beta': 'x=1', 'user-agent': 'client', accept: 'text/html' };
    await readAll((await provider.complete({ ...CALL, headers })).body);
    expect(server.requests[0]!.headers).toMatchObject({
      'openai-beta': 'x=1',
      authorization: 'Bearer sk-ours',
      'user-agent': 'Witan/0.1',
      accept: 'application/json',
      'content-type': 'application/json',
    });
  });

  it.each(['authorization', 'x-api-key', 'cookie'])(
    'never include the client’s %s',
    async (name) => {
      await using server = await openScriptedProvider();
      const provider = connectOpenai({ baseUrl: server.baseUrl });
      await readAll((await provider.complete({ ...CALL, headers: { [name]: 'secret' } })).body);
      expect(server.requests[0]!.headers).not.toHaveProperty(name);
    },
  );
});

describe('a call', () => {
  it('resolves with status and headers before the body arrives', async () => {
    await using server = await openScriptedProvider();
    const gate = createGate();
    server.script(streamFrames([{ a: 1 }], { gate, headers: { 'x-up': 'a' } }));
    const answer = await connectTo(server.baseUrl).complete(CALL);
    expect(answer).toMatchObject({ status: 200, headers: { 'x-up': 'a' } });
    gate.open();
    expect(await readAll(answer.body)).toBe('data: {"a":1}\n\ndata: [DONE]\n\n');
  });

  it('joins repeated headers', async () => {
    const origin = await serve((_request, response) => {
      response.setHeader('x-up', ['a', 'b']).end('{}');
    });
    const answer = await connectTo(origin).complete(CALL);
    await readAll(answer.body);
    expect(answer.headers['x-up']).toBe('a, b');
  });

  it('is never retried', async () => {
    let calls = 0;
    const origin = await serve((_request, response) => {
      calls += 1;
      if (calls === 1) response.writeHead(503, { 'retry-after': '0' }).end('{}');
      else response.destroy();
    });
    const provider = connectTo(origin);
    await readAll((await provider.complete(CALL)).body);
    expect(await reasonOf(provider.complete(CALL))).toBe('PROVIDER_STREAM_CUT');
    expect(calls).toBe(2);
  });

  it('does not follow a redirect, so that body and key go nowhere else', async () => {
    await using server = await openScriptedProvider();
    server.script(respondWith({ status: 307, headers: { location: '/v1/models' }, body: '{}' }));
    const { status, body } = await connectTo(server.baseUrl).complete(CALL);
    await readAll(body);
    expect(status).toBe(307);
    expect(server.requests).toHaveLength(1);
  });

  it('reuses its connection when the reader stops before the last byte', async () => {
    const sockets = new Set<unknown>();
    const origin = await serve((request, response) => {
      sockets.add(request.socket);
      response.write('first');
      response.end('last');
    });
    const provider = connectTo(origin);
    for (let call = 0; call < 10; call += 1) {
      const { body } = await provider.complete(CALL);
      await new Promise<void>((resolve, reject) => {
        const bytes = (): void => {
          body.discard();
          resolve();
        };
        body.read({ bytes, end: resolve, fail: reject });
      });
    }
    // Draining continues in the background, so a connection may still be busy at the next call.
    expect(sockets.size).toBeLessThanOrEqual(5);
  });

  it('counts tokens only if the provider has an endpoint for it', () => {
    expect(connectTo('http://127.0.0.1:1')).not.toHaveProperty('countTokens');
  });
});

describe('a provider that fails', () => {
  it('is unreachable when the connection is refused', async () => {
    const { origin, [Symbol.asyncDispose]: close } = await serveHttp(() => {});
    await close();
    expect(await reasonOf(connectTo(origin).complete(CALL))).toBe('PROVIDER_UNREACHABLE');
  });

  it('is unreachable when its name does not resolve', async () => {
    const provider = connectTo('http://no-such-host.invalid/v1');
    expect(await reasonOf(provider.complete(CALL))).toBe('PROVIDER_UNREACHABLE');
  });

  it('is reported as a cut stream when it closes before a response', async () => {
    const origin = await serve((_request, response) => response.destroy());
    expect(await reasonOf(connectTo(origin).complete(CALL))).toBe('PROVIDER_STREAM_CUT');
  });

  it('is reported as a cut stream when it closes inside a response', async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const { body } = await connectTo(origin).complete(CALL);
    expect(await reasonOf(readAll(body))).toBe('PROVIDER_STREAM_CUT');
  });

  it('times out when no response begins, and when one stalls', async () => {
    const silent = await serve(() => {});
    const stallingServer = await serve((_request, response) => {
      response.writeHead(200).write('half');
    });
    // undici's timers tick once a second, so these timeouts expire after about a second.
    const timeouts = { connectMs: 1_000, firstByteMs: 100, idleMs: 100 };
    const call = connectTo(silent, { timeouts }).complete(CALL);
    expect(await reasonOf(call)).toBe('PROVIDER_TIMEOUT');
    const { body } = await connectTo(stallingServer, { timeouts }).complete(CALL);
    expect(await reasonOf(readAll(body))).toBe('PROVIDER_TIMEOUT');
  });

  it('rejects with the reason of the abort', async () => {
    const origin = await serve(() => {});
    const controller = new AbortController();
    const call = connectTo(origin).complete({ ...CALL, stop: stopWith(controller.signal) });
    controller.abort(new ServiceError('CANCELLED', 'client left'));
    expect(await reasonOf(call)).toBe('CANCELLED');
  });

  it('reports an unsent call when aborted while connecting', async () => {
    const provider = connectTo('http://127.0.0.1:1', { connect: () => {} });
    const controller = new AbortController();
    const call = provider.complete({ ...CALL, stop: stopWith(controller.signal) });
    controller.abort(new ServiceError('CANCELLED', 'client left'));
    await expect(call).rejects.toMatchObject({
      reason: 'CANCELLED',
      fields: { unsent: 'true' },
    });
  });

  it('rejects with the reason of the abort inside a response, and closes the connection', async () => {
    await using server = await openScriptedProvider();
    server.script(streamFrames([{ a: 1 }, { b: 2 }], { gate: createGate() }));
    const controller = new AbortController();
    const provider = connectTo(server.baseUrl);
    const { body } = await provider.complete({ ...CALL, stop: stopWith(controller.signal) });
    controller.abort(new ServiceError('CANCELLED', 'client left'));
    expect(await reasonOf(readAll(body))).toBe('CANCELLED');
    expect(await server.whenAborted(1)).toMatchObject({ aborted: true });
  });
});

describe('a retired provider', () => {
  it('finishes running calls and rejects new ones before sending', async () => {
    await using server = await openScriptedProvider();
    const gate = createGate();
    server.script(streamFrames([{ a: 1 }], { gate }));
    const provider = connectTo(server.baseUrl);
    const { body } = await provider.complete(CALL);
    provider.retire();
    expect(await reasonOf(provider.complete(CALL))).toBe('PROVIDER_UNREACHABLE');
    gate.open();
    expect(await readAll(body)).toBe('data: {"a":1}\n\ndata: [DONE]\n\n');
    expect(server.requests).toHaveLength(1);
  });

  it('rejects new calls when none was running', async () => {
    await using server = await openScriptedProvider();
    const provider = connectTo(server.baseUrl);
    await readAll((await provider.complete(CALL)).body);
    provider.retire();
    expect(await reasonOf(provider.complete(CALL))).toBe('PROVIDER_UNREACHABLE');
    await new Promise((resolve) => void setImmediate(resolve));
    expect(await reasonOf(provider.complete(CALL))).toBe('PROVIDER_UNREACHABLE');
    expect(server.requests).toHaveLength(1);
  });
});

describe('listing models', () => {
  it.each([
    ['a list', { data: [{ id: 'a' }, { id: 'b', object: 'model' }] }, ['a', 'b']],
    ['a list with invalid entries', { data: [{ id: 'a' }, { id: 5 }, null, 'x'] }, ['a']],
    ['an empty list', { data: [] }, []],
  ])('reads %s', async (_name, body, expected) => {
    await using server = await openScriptedProvider();
    server.script(respondWith({ body }), { path: '/v1/models' });
    expect(await connectTo(server.baseUrl).listModels(neverAborted)).toEqual(expected);
  });

  it.each([
    ['a body without a list', { status: 200, body: { models: [] } }],
    ['an error', { status: 500, body: { error: {} } }],
    ['an HTML page', { status: 200, body: '<html></html>' }],
    ['more than four megabytes', { status: 200, body: `{"data":[],"x":"${'a'.repeat(5e6)}"}` }],
  ])('rejects %s', async (_name, answer) => {
    await using server = await openScriptedProvider();
    server.script(respondWith(answer), { path: '/v1/models' });
    const listing = connectTo(server.baseUrl).listModels(neverAborted);
    expect(await reasonOf(listing)).toBe('PROVIDER_INVALID_ANSWER');
  });
});
