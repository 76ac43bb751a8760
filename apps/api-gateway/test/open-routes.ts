import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@witan/service-kit';
import { createApp } from '../src/server/create-app.ts';
import { generateApiKey } from '../src/auth/authenticate.ts';
import type { Route } from '../src/http/route.ts';
import { createLimits } from '../src/server/limits.ts';

export type OpenRoutes = AsyncDisposable & {
  url: string;
  /** A valid API key, which `send` sends. */
  key: string;
  send: (path: string, sending?: SendOptions) => Promise<Response>;
};

type SendOptions = {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: object;
  signal?: AbortSignal;
};

const { text: KEY, secretHash } = generateApiKey();
const STORED_KEY = {
  ...{ keyId: 'key_1', workspaceId: 'ws_1', userId: 'usr_1', scopes: ['*'] },
  ...{ secretHash, expiresAt: null, revokedAt: null },
};

const NO_LIMITS = {
  rateLimitPerMinute: 0,
  maxStreamsPerKey: 0,
  maxBackgroundPerWorkspace: 0,
  bodyBytesMax: 64 * 1024 * 1024,
};

export const openRoutes = async (
  routes: readonly Route[],
  pages: Partial<Pick<Parameters<typeof createApp>[0], 'console' | 'verifier'>> = {},
): Promise<OpenRoutes> => {
  const app = createApp({
    console: (_request, _response, next) => next(),
    verifier: (_request, _response, next) => next(),
    ...pages,
    routes,
    keys: {
      findKey: () => STORED_KEY,
      findSession: () => undefined,
      onRefused: () => {},
      onUsed: () => {},
      watch: () => () => {},
    },
    limits: createLimits(NO_LIMITS, () => {}),
    runOnce: async () => {
      throw new Error('No route is opened for calls with an Idempotency-Key');
    },
    log: createLog({ service: 'test', level: 'silent' }),
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    key: KEY,
    send: (path, { method, headers, body, signal } = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: method ?? (body ? 'POST' : 'GET'),
        headers: { 'content-type': 'application/json', 'x-api-key': KEY, ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
        ...(signal ? { signal } : {}),
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
