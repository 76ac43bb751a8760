import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openScriptedProvider } from '@witan/testing';
import type { RecordedRequest, ScriptedProvider } from '@witan/testing';
import { readBody } from '../provider.ts';
import type { AnswerBody, ProviderRequest } from '../provider.ts';
import { createAnthropic } from './anthropic.ts';

const TIMEOUTS = { connectMs: 1_000, firstByteMs: 2_000, idleMs: 2_000 };
const BODY = {
  model: 'claude-x',
  max_tokens: 5,
  messages: [{ role: 'user' as const, content: 'hi' }],
};
const CALL: ProviderRequest = {
  dialect: 'messages',
  body: Buffer.from(JSON.stringify(BODY)),
  headers: {},
  query: '',
  stop: { reason: undefined, onStop: undefined },
};

let disposables = new AsyncDisposableStack();
afterEach(async () => {
  await disposables.disposeAsync();
  disposables = new AsyncDisposableStack();
});

const openServer = async (): Promise<ScriptedProvider> =>
  disposables.use(await openScriptedProvider());
const connectTo = (baseUrl: string, { apiKey }: { apiKey?: string } = { apiKey: 'sk-ours' }) => {
  const provider = createAnthropic({ apiKey, baseUrl }, { timeouts: TIMEOUTS });
  disposables.defer(provider.close);
  return provider;
};
const drain = async (body: AnswerBody): Promise<void> => {
  await readBody(body, Infinity);
};

const send = async (
  headers: Record<string, string> = {},
  settings?: { apiKey?: string },
): Promise<RecordedRequest> => {
  const server = await openServer();
  const provider = connectTo(server.anthropicBaseUrl, settings);
  await drain((await provider.complete({ ...CALL, headers })).body);
  return server.requests[0]!;
};

describe('a call to anthropic', () => {
  it('equals that of the official SDK: path, version, credentials, body', async () => {
    const server = await openServer();
    const headers = { 'anthropic-version': '2026-10-21' };
    await drain((await connectTo(server.anthropicBaseUrl).complete({ ...CALL, headers })).body);
    const sdk = new Anthropic({
      apiKey: 'sk-ours',
      baseURL: server.anthropicBaseUrl,
      maxRetries: 0,
    });
    await sdk.messages.create(BODY);
    const [ownRequest, clientRequest] = server.requests;
    expect(ownRequest).toMatchObject({ method: clientRequest!.method, path: clientRequest!.path });
    for (const name of [
      'anthropic-version',
      'authorization',
      'x-api-key',
      'content-type',
      'accept',
    ]) {
      expect([name, ownRequest!.headers[name]]).toEqual([name, clientRequest!.headers[name]]);
    }
    expect(ownRequest!.body).toEqual(clientRequest!.body);
  });

  it.each([
    ['2026-10-21', 'bearer'],
    ['2026-12-01', 'bearer'],
    ['2027-01-01', 'bearer'],
    ['2026-10-20', 'key'],
    ['2023-06-01', 'key'],
    ['2023-01-01', 'key'],
  ])('of the version %s carries our key as that version requires: %s', async (version, form) => {
    const { headers } = await send({ 'anthropic-version': version });
    expect(headers['anthropic-version']).toBe(version);
    expect(headers.authorization).toBe(form === 'bearer' ? 'Bearer sk-ours' : undefined);
    expect(headers['x-api-key']).toBe(form === 'key' ? 'sk-ours' : undefined);
  });

  it('has a default version when the client sends none', async () => {
    // The last version that accepts sampling parameters, which translated bodies may have.
    expect((await send()).headers['anthropic-version']).toBe('2023-06-01');
  });

  it('keeps the client’s beta header and other headers of the dialect', async () => {
    const output = { 'anthropic-beta': 'a-2026,b-2026', 'anthropic-future': '1' };
    expect((await send(output)).headers).toMatchObject(output);
  });

  const CREDENTIALS = {
    authorization: 'Bearer sk-client',
    'x-api-key': 'sk-client',
    cookie: 'session=client',
  };
  it.each([
    ['a new version', '2026-10-21', { apiKey: 'sk-ours' }],
    ['an old version', '2023-06-01', { apiKey: 'sk-ours' }],
    ['a new version without a key of ours', '2026-10-21', {}],
    ['an old version without a key of ours', '2023-06-01', {}],
  ])('never carries credentials of the client: %s', async (_name, version, settings) => {
    const { headers } = await send({ ...CREDENTIALS, 'anthropic-version': version }, settings);
    expect(JSON.stringify(headers)).not.toContain('client');
  });

  it('carries no credentials when none are configured', async () => {
    const { headers } = await send({}, {});
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('x-api-key');
  });
});

describe('the URL of a call to anthropic', () => {
  it.each(['', '/', '/proxy', '/proxy/', '/proxy?tenant=a'])(
    'extends a base URL that ends in "%s"',
    async (suffix) => {
      const server = await openServer();
      const provider = connectTo(`${server.anthropicBaseUrl}${suffix}`);
      await drain((await provider.complete({ ...CALL, query: 'beta=true' })).body);
      await provider.listModels(new AbortController().signal).catch(() => []);
      const prefix = suffix.startsWith('/proxy') ? '/proxy' : '';
      const own = suffix.includes('?') ? 'tenant=a' : '';
      const query = [own, 'beta=true'].filter(Boolean).join('&');
      expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
        `POST ${prefix}/v1/messages?${query}`,
        `GET ${prefix}/v1/models?${[own, 'limit=1000'].filter(Boolean).join('&')}`,
      ]);
    },
  );
});

describe('anthropic', () => {
  it('lists its models with a version and a key', async () => {
    const server = await openServer();
    expect(
      await connectTo(server.anthropicBaseUrl).listModels(new AbortController().signal),
    ).toEqual(['scripted-model']);
    expect(server.requests[0]!.headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-ours',
    });
  });

  it('may have another name, and uses the messages dialect', () => {
    const settings = { apiKey: undefined, baseUrl: 'https://api.example' };
    const provider = createAnthropic(settings, { name: 'mine', timeouts: TIMEOUTS });
    disposables.defer(provider.close);
    expect(provider).toMatchObject({ name: 'mine', dialects: ['messages'] });
    expect(connectTo('https://api.example').name).toBe('anthropic');
  });
});
