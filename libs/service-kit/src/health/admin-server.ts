import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { runChecks } from './run-checks.ts';
import type { Checks } from './run-checks.ts';

export type AdminServer = AsyncDisposable & { port: number; url: string };

/**
 * Serves `/livez` (the process runs), `/readyz` (503 with the failing checks, if any) and
 * `/metrics` (Prometheus text) on a port for operators. This port must never be public.
 */
export const openAdminServer = async (options: {
  host: string;
  port: number;
  checks: Checks;
  registry: Registry;
}): Promise<AdminServer> => {
  const server = createServer((request, response) => {
    void respond(request.url ?? '', options)
      .catch(() => json(500, { error: 'The answer could not be made; see the log.' }))
      .then(({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type }).end(body);
      });
  });
  await listen(server, options.port, options.host);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${options.host}:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

type AdminResponse = { status: number; type: string; body: string };

const respond = async (
  path: string,
  { checks, registry }: { checks: Checks; registry: Registry },
): Promise<AdminResponse> => {
  if (path === '/livez') return json(200, { live: true });
  if (path === '/readyz') {
    const readiness = await runChecks(checks);
    return json(readiness.ready ? 200 : 503, readiness);
  }
  if (path === '/metrics') {
    return { status: 200, type: registry.contentType, body: await registry.metrics() };
  }
  return json(404, { paths: ['/livez', '/readyz', '/metrics'] });
};

const json = (status: number, body: object): AdminResponse => ({
  status,
  type: 'application/json',
  body: `${JSON.stringify(body)}\n`,
});

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
