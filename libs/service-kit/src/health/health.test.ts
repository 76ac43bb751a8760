import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { credentials, loadPackageDefinition, Server, ServerCredentials } from '@grpc/grpc-js';
import type { Client } from '@grpc/grpc-js';
import { service as healthDefinition } from 'grpc-health-check';
import { Counter, Registry } from 'prom-client';
import { unavailable } from '@witan/contracts';
import { createLog } from '../log/create-log.ts';
import { createHealthService } from './grpc-health.ts';
import { openAdminServer } from './health.ts';
import type { AdminServer } from './health.ts';
import { createReadiness } from './readiness.ts';
import type { Checks } from './readiness.ts';

const SILENT = createLog({ service: 'ledger', level: 'silent' });

describe('the admin port', () => {
  let registry: Registry;
  const state: { database: Error | undefined; ledgerHangs: boolean } = {
    database: undefined,
    ledgerHangs: false,
  };
  const lines: { event: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog({ service: 'ledger', level: 'info', destination });
  const checks: Checks = {
    database: async () => {
      if (state.database) throw state.database;
    },
    ledger: () => (state.ledgerHangs ? new Promise(() => {}) : Promise.resolve()),
  };
  const UNREACHABLE = unavailable('connect ECONNREFUSED 10.0.0.5:5432');
  const LOCAL = new Error('password authentication failed for "witan"');
  let admin: AdminServer;
  beforeEach(async () => {
    Object.assign(state, { database: undefined, ledgerHangs: false });
    lines.length = 0;
    registry = new Registry();
    const checkReadiness = createReadiness(checks, { log, registry });
    admin = await openAdminServer({ host: '127.0.0.1', port: 0, checkReadiness, registry });
  });
  afterEach(async () => {
    await admin[Symbol.asyncDispose]();
  });

  const get = async (path: string) => {
    const response = await fetch(`${admin.url}${path}`);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  it('reports the process as live even if a check fails', async () => {
    state.database = LOCAL;
    expect(await get('/livez')).toMatchObject({ status: 200, text: '{"live":true}\n' });
  });

  it('is ready while every check passes', async () => {
    const { status, text } = await get('/readyz');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ ready: true, checks: { database: 'ok', ledger: 'ok' } });
  });

  it('names the failing check without the cause', async () => {
    expect((await get('/readyz')).status).toBe(200);
    state.database = LOCAL;
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    const expected = { ready: false, checks: { database: 'failing', ledger: 'ok' } };
    expect(JSON.parse(text)).toEqual(expected);
    state.database = undefined;
    expect((await get('/readyz')).status).toBe(200);
  });

  it('is not ready before a dependency was reachable once, or its check returned once', async () => {
    Object.assign(state, { database: UNREACHABLE, ledgerHangs: true });
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({
      ready: false,
      checks: { database: 'failing', ledger: 'failing' },
    });
    expect(lines).toEqual([]);
  });

  it('stays ready and reports, logs and measures an unreachable dependency once', async () => {
    await get('/readyz');
    state.database = UNREACHABLE;
    for (let probe = 0; probe < 2; probe += 1) {
      const { status, text } = await get('/readyz');
      expect(status).toBe(200);
      expect(JSON.parse(text)).toEqual({
        ready: true,
        checks: { database: 'degraded', ledger: 'ok' },
      });
    }
    const { text: metrics } = await get('/metrics');
    expect(metrics).toContain('\nservice_degraded{check="database"} 1\n');
    expect(metrics).toContain('\nservice_degraded{check="ledger"} 0\n');
    state.database = undefined;
    expect(JSON.parse((await get('/readyz')).text)).toMatchObject({ checks: { database: 'ok' } });
    expect((await get('/metrics')).text).toContain('\nservice_degraded{check="database"} 0\n');
    expect(lines).toMatchObject([
      { event: 'dependency_unavailable', level: 'warn', dependency: 'database' },
      { event: 'dependency_restored', level: 'info', dependency: 'database' },
    ]);
  });

  it('stays ready if a check that passed before hangs', async () => {
    await get('/readyz');
    state.ledgerHangs = true;
    const { status, text } = await get('/readyz');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ checks: { database: 'ok', ledger: 'degraded' } });
  });

  it('is not ready while a local cause persists, even if the check cannot tell any more', async () => {
    await get('/readyz');
    state.database = LOCAL;
    expect((await get('/readyz')).status).toBe(503);
    state.database = UNREACHABLE;
    expect((await get('/readyz')).status).toBe(503);
  });

  it('serves metrics in the Prometheus text format', async () => {
    const counter = new Counter({ name: 'things_total', help: 'Things.', registers: [registry] });
    counter.inc(3);
    const { status, text, headers } = await get('/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('\nthings_total 3\n');
  });

  it('returns 404 for other paths', async () => {
    expect((await get('/')).status).toBe(404);
    expect((await get('/v1/models')).status).toBe(404);
  });

  it('rejects with EADDRINUSE if the port is in use', async () => {
    const checkReadiness = createReadiness({}, { log, registry: new Registry() });
    const options = { host: '127.0.0.1', port: admin.port, checkReadiness, registry };
    const second = openAdminServer(options);
    await expect(second).rejects.toThrow('EADDRINUSE');
  });
});

type HealthClient = Client & {
  check: (
    request: { service: string },
    callback: (error: Error | null, response?: { status: string }) => void,
  ) => void;
};
type HealthClientClass = new (address: string, access: typeof insecure) => HealthClient;
const insecure = credentials.createInsecure();

describe('grpc.health.v1', () => {
  const open = async (checks: Checks) => {
    const registry = new Registry();
    const health = createHealthService(createReadiness(checks, { log: SILENT, registry }));
    const server = new Server();
    health.addTo(server);
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    const { Health } = loadPackageDefinition({ Health: healthDefinition }) as unknown as {
      Health: HealthClientClass;
    };
    const client = new Health(`127.0.0.1:${port}`, insecure);
    const check = (service = ''): Promise<string> =>
      new Promise((resolve) => {
        client.check({ service }, (error, response) =>
          resolve(error ? error.message : response!.status),
        );
      });
    const close = (): void => {
      health.stop();
      client.close();
      server.forceShutdown();
    };
    return { health, check, close };
  };

  it('is SERVING while the checks pass, and NOT_SERVING once stopped', async () => {
    const { health, check, close } = await open({ database: async () => {} });
    expect(await check()).toBe('SERVING');
    health.stop();
    expect(await check()).toBe('NOT_SERVING');
    close();
  });

  it('is NOT_SERVING while a check fails', async () => {
    const { check, close } = await open({
      database: async () => {
        throw new Error('down');
      },
    });
    expect(await check()).toBe('NOT_SERVING');
    close();
  });

  it('reports the health of the server, not of single services', async () => {
    const { check, close } = await open({});
    expect(await check('witan.ledger.v1.LedgerService')).toContain('NOT_FOUND');
    close();
  });
});
