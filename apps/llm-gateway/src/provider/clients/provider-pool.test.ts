import { afterEach, describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { createGate, openScriptedProvider, streamFrames } from '@witan/testing';
import type { RecordedRequest, ScriptedProvider } from '@witan/testing';
import { buildConnector } from 'undici';
import { createFakeProvider } from '../../../test/fake-provider.ts';
import { readBody } from '../provider.ts';
import type { AnswerBody, ProviderAccess, ProviderRequest } from '../provider.ts';
import type { WorkspaceProvider } from '../workspace-models.ts';
import { createProviderPool } from './provider-pool.ts';

const TIMEOUTS = { connectMs: 1_000, firstByteMs: 2_000, idleMs: 2_000 };
const CALL: ProviderRequest = {
  dialect: 'chat-completions',
  body: Buffer.from('{}'),
  headers: {},
  query: '',
  stop: { reason: undefined, onStop: undefined },
};
const FRAMES = 'data: {"a":1}\n\ndata: [DONE]\n\n';

let disposables = new AsyncDisposableStack();
afterEach(async () => {
  await disposables.disposeAsync();
  disposables = new AsyncDisposableStack();
});

const openServer = async (): Promise<ScriptedProvider> =>
  disposables.use(await openScriptedProvider());

const openPool = (operator = [createFakeProvider()]) => {
  const connected: string[] = [];
  const connect = buildConnector({ timeout: TIMEOUTS.connectMs });
  const pool = createProviderPool({
    operatorSecrets: [],
    operator,
    timeouts: TIMEOUTS,
    guardedConnect: (options, callback) => {
      connected.push(`${options.hostname}:${options.port}`);
      connect(options, callback);
    },
    clock: () => 0,
  });
  disposables.defer(pool.close);
  return { pool, connected };
};
const own = (output: Partial<WorkspaceProvider> = {}): WorkspaceProvider => ({
  name: 'mine',
  dialects: ['chat-completions'],
  baseUrl: 'https://api.example/v1',
  apiKey: 'sk-a',
  version: 'ver_1',
  ...output,
});
const read = async (body: AnswerBody): Promise<string> =>
  (await readBody(body, Infinity)).toString();
const call = async ({ provider }: ProviderAccess, dialect = CALL.dialect): Promise<string> => {
  try {
    return await read((await provider.complete({ ...CALL, dialect })).body);
  } catch (error) {
    return isServiceError(error) ? error.reason : String(error);
  }
};
const keyOf = (headers: RecordedRequest['headers']) =>
  headers.authorization ?? headers['x-api-key'];
const isRetired = async (access: ProviderAccess): Promise<boolean> =>
  (await call(access)) === 'PROVIDER_UNREACHABLE';

describe('the operator’s providers', () => {
  it('are available by name, each with its own circuit breaker', () => {
    const providers = [createFakeProvider(), createFakeProvider({ dialect: 'messages' })];
    const { pool } = openPool(providers);
    expect([...pool.operator.keys()]).toEqual(['openai', 'anthropic']);
    const [openai, anthropic] = [...pool.operator.values()];
    const redactError = expect.any(Function);
    expect(openai!.provider).toEqual({ ...providers[0], redactError });
    expect(openai!.breaker).not.toBe(anthropic!.breaker);
  });
});

describe('a workspace’s own provider', () => {
  it('is called at its base URL with its key, through the guarded connector', async () => {
    const server = await openServer();
    const { pool, connected } = openPool();
    const chat = pool.workspaceAccess('ws_a', own({ baseUrl: server.baseUrl }));
    const messages = pool.workspaceAccess(
      'ws_a',
      own({ name: 'other', dialects: ['messages'], baseUrl: server.anthropicBaseUrl }),
    );
    await call(chat);
    await call(messages, 'messages');
    expect(chat.provider).toMatchObject({
      name: 'mine',
      dialects: ['chat-completions', 'embeddings'],
    });
    expect(messages.provider).toMatchObject({ name: 'other', dialects: ['messages'] });
    expect(server.requests.map(({ path, headers }) => [path, keyOf(headers)])).toEqual([
      ['/v1/chat/completions', 'Bearer sk-a'],
      ['/v1/messages', 'sk-a'],
    ]);
    expect(connected).toEqual([`127.0.0.1:${server.port}`, `127.0.0.1:${server.port}`]);
  });

  it('is called at the path of the dialect of each call', async () => {
    const server = await openServer();
    const { pool } = openPool();
    const { baseUrl } = server;
    const { provider } = pool.workspaceAccess(
      'ws_a',
      own({ baseUrl, dialects: ['responses', 'chat-completions'] }),
    );
    expect(provider.dialects).toEqual(['responses', 'chat-completions', 'embeddings']);
    for (const dialect of provider.dialects) {
      await read((await provider.complete({ ...CALL, dialect })).body);
    }
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/embeddings',
    ]);
  });

  it('is opened once, and keeps its circuit breaker', () => {
    const { pool } = openPool();
    const first = pool.workspaceAccess('ws_a', own());
    for (let trial = 0; trial < 20; trial += 1) first.breaker.admit()!('failed');
    const accessAgain = pool.workspaceAccess('ws_a', own());
    expect(accessAgain).toBe(first);
    expect(accessAgain.breaker.state).toBe('open');
  });

  it('is never shared with another workspace, whatever its name and version', async () => {
    const server = await openServer();
    const { pool } = openPool();
    const { baseUrl } = server;
    const a = pool.workspaceAccess('ws_a', own({ baseUrl, apiKey: 'sk-a' }));
    const b = pool.workspaceAccess('ws_b', own({ baseUrl, apiKey: 'sk-b' }));
    expect(b).not.toBe(a);
    expect(b.breaker).not.toBe(a.breaker);
    for (const access of [a, b, pool.workspaceAccess('ws_a', own({ baseUrl, apiKey: 'sk-a' }))]) {
      await call(access);
    }
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-a',
      'Bearer sk-b',
      'Bearer sk-a',
    ]);
  });

  it('is never shared with another provider of the workspace', () => {
    const { pool } = openPool();
    expect(pool.workspaceAccess('ws_a', own({ name: 'mine-2' }))).not.toBe(
      pool.workspaceAccess('ws_a', own()),
    );
  });

  it('is reopened with a closed circuit breaker when its settings change', async () => {
    const server = await openServer();
    const { pool } = openPool();
    const { baseUrl } = server;
    const oldAccess = pool.workspaceAccess('ws_a', own({ baseUrl }));
    for (let trial = 0; trial < 20; trial += 1) oldAccess.breaker.admit()!('failed');
    const renewed = pool.workspaceAccess(
      'ws_a',
      own({ baseUrl, version: 'ver_2', apiKey: 'sk-new' }),
    );
    expect(renewed.breaker.state).toBe('closed');
    await call(renewed);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-new']);
    expect(await isRetired(oldAccess)).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  it('finishes the calls that run while its settings change', async () => {
    const server = await openServer();
    const gate = createGate();
    server.script(streamFrames([{ a: 1 }], { gate }));
    const { pool } = openPool();
    const { baseUrl } = server;
    const { provider } = pool.workspaceAccess('ws_a', own({ baseUrl }));
    const { body } = await provider.complete(CALL);
    pool.workspaceAccess('ws_a', own({ baseUrl, version: 'ver_2' }));
    gate.open();
    expect(await read(body)).toBe(FRAMES);
  });
});

describe('a pool of more than a thousand providers', () => {
  const fillPool = (pool: ReturnType<typeof openPool>['pool'], from: number, to: number): void => {
    for (let number = from; number < to; number += 1) pool.workspaceAccess(`ws_${number}`, own());
  };

  it('leaves a thousand open', () => {
    const { pool } = openPool();
    const first = pool.workspaceAccess('ws_0', own());
    fillPool(pool, 1, 1_000);
    expect(pool.workspaceAccess('ws_0', own())).toBe(first);
  });

  it('retires the least recently used one without cutting its calls', async () => {
    const server = await openServer();
    const gate = createGate();
    server.script(streamFrames([{ a: 1 }], { gate }));
    const { pool } = openPool();
    const { baseUrl } = server;
    const stored = pool.workspaceAccess('ws_kept', own({ baseUrl }));
    const evicted = pool.workspaceAccess('ws_evicted', own({ baseUrl }));
    const { body } = await evicted.provider.complete(CALL);
    fillPool(pool, 0, 998);
    expect(pool.workspaceAccess('ws_kept', own({ baseUrl }))).toBe(stored);
    pool.workspaceAccess('ws_one-more', own());
    expect(pool.workspaceAccess('ws_kept', own({ baseUrl }))).toBe(stored);
    expect(await isRetired(evicted)).toBe(true);
    gate.open();
    expect(await read(body)).toBe(FRAMES);
    expect(pool.workspaceAccess('ws_evicted', own({ baseUrl }))).not.toBe(evicted);
  });
});

describe('a closed pool', () => {
  it('ends the calls of the workspaces’ providers and closes the operator’s', async () => {
    const server = await openServer();
    server.script(streamFrames([{ a: 1 }], { gate: createGate() }));
    let closed = 0;
    const operator = {
      ...createFakeProvider(),
      close: async () => {
        closed += 1;
      },
    };
    const { pool } = openPool([operator, createFakeProvider({ name: 'without-connections' })]);
    const { provider } = pool.workspaceAccess('ws_a', own({ baseUrl: server.baseUrl }));
    const { body } = await provider.complete(CALL);
    const reading = read(body).catch((error: unknown) => isServiceError(error) && error.reason);
    await pool.close();
    expect(await reading).toBe('PROVIDER_STREAM_CUT');
    expect(closed).toBe(1);
  });
});
