import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { CheckReadiness } from './readiness.ts';

export type AdminServer = AsyncDisposable & { port: number; url: string };

/**
 * Serves `/livez` (the process runs), `/readyz` (result of each check; 503 if the replica is not
 * ready) and `/metrics` (Prometheus text) on a port for operators. This port must never be public.
 */
export const openAdminServer = async (options: {
  host: string;
  port: number;
  checkReadiness: CheckReadiness;
  registry: Registry;
}): Promise<AdminServer> => {
  const server = createServer((request, response) => {
    void respond(request.url ?? '', options)
      .catch(() => json(500, { error: 'The answer could not be made; see the log.' }))
      .then(({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type }).end(body);
      });
  });
  await once(server.listen(options.port, options.host), 'listening');
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
  { checkReadiness, registry }: { checkReadiness: CheckReadiness; registry: Registry },
): Promise<AdminResponse> => {
  if (path === '/livez') return json(200, { live: true });
  if (path === '/readyz') {
    const readiness = await checkReadiness();
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
