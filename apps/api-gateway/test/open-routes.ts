import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@witan/service-kit';
import { createApp } from '../src/server/create-app.ts';
import type { Route } from '../src/http/route.ts';

export type OpenRoutes = AsyncDisposable & {
  url: string;
  send: (path: string, sending?: SendOptions) => Promise<Response>;
};

type SendOptions = {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: object;
  signal?: AbortSignal;
};

const PRINCIPAL = { keyId: 'key_1', workspaceId: 'ws_1', userId: 'usr_1', scopes: ['*'] };

export const openRoutes = async (
  routes: readonly Route[],
  pages: Partial<Pick<Parameters<typeof createApp>[0], 'console' | 'verifier'>> = {},
): Promise<OpenRoutes> => {
  const app = createApp({
    console: (_request, _response, next) => next(),
    verifier: (_request, _response, next) => next(),
    ...pages,
    routes,
    authorize: async () => PRINCIPAL,
    checkKey: async () => {},
    runOnce: (route, call) => route.handle(call),
    log: createLog({ service: 'test', level: 'silent' }),
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    send: (path, { method, headers, body, signal } = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: method ?? (body ? 'POST' : 'GET'),
        headers: { 'content-type': 'application/json', ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
        ...(signal ? { signal } : {}),
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
