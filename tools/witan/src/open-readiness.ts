import { createServer } from 'node:http';
import { once } from 'node:events';

const CHECK_TIMEOUT_MS = 3_000;

/**
 * Opens the admin port of a process with several services. `/livez` returns 200. `/readyz` returns
 * the state of each service, with status 200 if all are ready, `degraded` ones included, and 503
 * otherwise. Each service also has its own admin port.
 */
export const openReadiness = async (options: {
  host: string;
  port: number;
  adminUrls: Readonly<Record<string, string>>;
}): Promise<{ close: () => Promise<void> }> => {
  const { host, port, adminUrls } = options;
  const server = createServer((request, response) => {
    const reply =
      request.url === '/readyz' ? checkReadiness(adminUrls) : { status: 200, body: LIVE };
    const known = request.url === '/readyz' || request.url === '/livez';
    void Promise.resolve(known ? reply : { status: 404, body: { adminUrls } }).then(
      ({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(`${JSON.stringify(body)}\n`);
      },
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const LIVE = { live: true };

const checkReadiness = async (
  adminUrls: Readonly<Record<string, string>>,
): Promise<{ status: number; body: object }> => {
  const requests = Object.entries(adminUrls).map(async ([service, url]) => {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const state = await fetch(`${url}/readyz`, { signal })
      .then(toState)
      .catch(() => 'failing' as const);
    return [service, state] as const;
  });
  const checks = await Promise.all(requests);
  const ready = checks.every(([, state]) => state !== 'failing');
  return { status: ready ? 200 : 503, body: { ready, checks: Object.fromEntries(checks) } };
};

const toState = async (response: Response): Promise<'ok' | 'degraded' | 'failing'> => {
  if (!response.ok) return 'failing';
  const { checks } = (await response.json()) as { checks: Record<string, string> };
  return Object.values(checks).includes('degraded') ? 'degraded' : 'ok';
};
