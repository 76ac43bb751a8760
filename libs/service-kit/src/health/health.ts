import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export type AdminServer = AsyncDisposable & { port: number; url: string };

/**
 * Serves `/livez` (the process runs), `/readyz` (result of each check; 503 if one fails) and
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

export type Checks = Readonly<Record<string, () => Promise<void>>>;

export type Readiness = { ready: boolean; checks: Record<string, 'ok' | 'failing'> };

const CHECK_TIMEOUT_MS = 2_000;

/**
 * Runs all checks concurrently; one that takes more than 2 s fails. The result names the failing
 * checks but not the causes of their failures.
 */
export const runChecks = async (checks: Checks): Promise<Readiness> => {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await passes(check)] as const),
  );
  return {
    ready: results.every(([, ok]) => ok),
    checks: Object.fromEntries(results.map(([name, ok]) => [name, ok ? 'ok' : 'failing'])),
  };
};

const passes = async (check: () => Promise<void>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  const result = check().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
};
