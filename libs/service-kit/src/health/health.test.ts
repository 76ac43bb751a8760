import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { credentials, loadPackageDefinition, Server, ServerCredentials } from '@grpc/grpc-js';
import type { Client } from '@grpc/grpc-js';
import { service as healthDefinition } from 'grpc-health-check';
import { Counter, Registry } from 'prom-client';
import { createHealthService } from './grpc-health.ts';
import { openAdminServer } from './health.ts';
import type { AdminServer, Checks } from './health.ts';

describe('the admin port', () => {
  const registry = new Registry();
  const state = { databaseDown: false, ledgerHangs: false };
  const checks: Checks = {
    database: async () => {
      if (state.databaseDown) throw new Error('password authentication failed for "witan"');
    },
    ledger: () => (state.ledgerHangs ? new Promise(() => {}) : Promise.resolve()),
  };
  let admin: AdminServer;
  beforeEach(async () => {
    Object.assign(state, { databaseDown: false, ledgerHangs: false });
    admin = await openAdminServer({ host: '127.0.0.1', port: 0, checks, registry });
  });
  afterEach(async () => {
    await admin[Symbol.asyncDispose]();
  });

  const get = async (path: string) => {
    const response = await fetch(`${admin.url}${path}`);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  it('reports the process as live even if a check fails', async () => {
    state.databaseDown = true;
    expect(await get('/livez')).toMatchObject({ status: 200, text: '{"live":true}\n' });
  });

  it('is ready while every check passes', async () => {
    const { status, text } = await get('/readyz');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ ready: true, checks: { database: 'ok', ledger: 'ok' } });
  });

  it('names the failing check without the cause', async () => {
    state.databaseDown = true;
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    const expected = { ready: false, checks: { database: 'failing', ledger: 'ok' } };
    expect(JSON.parse(text)).toEqual(expected);
    state.databaseDown = false;
    expect((await get('/readyz')).status).toBe(200);
  });

  it('counts a check that hangs as failing', async () => {
    state.ledgerHangs = true;
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ checks: { database: 'ok', ledger: 'failing' } });
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
    const second = openAdminServer({ host: '127.0.0.1', port: admin.port, checks, registry });
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
    const health = createHealthService(checks);
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
