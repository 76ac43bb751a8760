import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { credentials, loadPackageDefinition, Server, ServerCredentials } from '@grpc/grpc-js';
import type { Client } from '@grpc/grpc-js';
import { service as healthDefinition } from 'grpc-health-check';
import { Counter, Registry } from 'prom-client';
import { openAdminServer } from './admin-server.ts';
import type { AdminServer } from './admin-server.ts';
import type { Checks } from './run-checks.ts';
import { createHealthService } from './grpc-health.ts';

describe('the admin port', () => {
  const registry = new Registry();
  const world = { databaseDown: false, ledgerHangs: false };
  const checks: Checks = {
    database: async () => {
      if (world.databaseDown) throw new Error('password authentication failed for "witan"');
    },
    ledger: () => (world.ledgerHangs ? new Promise(() => {}) : Promise.resolve()),
  };
  let admin: AdminServer;
  beforeEach(async () => {
    Object.assign(world, { databaseDown: false, ledgerHangs: false });
    admin = await openAdminServer({ host: '127.0.0.1', port: 0, checks, registry });
  });
  afterEach(async () => {
    await admin[Symbol.asyncDispose]();
  });

  const get = async (path: string) => {
    const response = await fetch(`${admin.url}${path}`);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  it('says that the process lives, whatever its checks say', async () => {
    world.databaseDown = true;
    expect(await get('/livez')).toMatchObject({ status: 200, text: '{"live":true}\n' });
  });

  it('is ready while every check passes', async () => {
    const { status, text } = await get('/readyz');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ ready: true, checks: { database: 'ok', ledger: 'ok' } });
  });

  it('names the check that fails, and not why', async () => {
    world.databaseDown = true;
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    const expected = { ready: false, checks: { database: 'failing', ledger: 'ok' } };
    expect(JSON.parse(text)).toEqual(expected);
    world.databaseDown = false;
    expect((await get('/readyz')).status).toBe(200);
  });

  it('counts a check that does not answer as failing', async () => {
    world.ledgerHangs = true;
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ checks: { database: 'ok', ledger: 'failing' } });
  });

  it('tells the metrics as Prometheus reads them', async () => {
    const counter = new Counter({ name: 'things_total', help: 'Things.', registers: [registry] });
    counter.inc(3);
    const { status, text, headers } = await get('/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('\nthings_total 3\n');
  });

  it('knows no other path', async () => {
    expect((await get('/')).status).toBe(404);
    expect((await get('/v1/models')).status).toBe(404);
  });

  it('names a port that is taken', async () => {
    const second = openAdminServer({ host: '127.0.0.1', port: admin.port, checks, registry });
    await expect(second).rejects.toThrow('EADDRINUSE');
  });
});

type HealthClient = Client & {
  check: (
    request: { service: string },
    callback: (error: Error | null, answer?: { status: string }) => void,
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
        client.check({ service }, (error, answer) =>
          resolve(error ? error.message : answer!.status),
        );
      });
    const close = (): void => {
      health.stop();
      client.close();
      server.forceShutdown();
    };
    return { health, check, close };
  };

  it('serves while the checks pass, and not once the service winds up', async () => {
    const { health, check, close } = await open({ database: async () => {} });
    expect(await check()).toBe('SERVING');
    health.stop();
    expect(await check()).toBe('NOT_SERVING');
    close();
  });

  it('does not serve while a check fails', async () => {
    const { check, close } = await open({
      database: async () => {
        throw new Error('down');
      },
    });
    expect(await check()).toBe('NOT_SERVING');
    close();
  });

  it('knows the server as a whole and no single service', async () => {
    const { check, close } = await open({});
    expect(await check('witan.ledger.v1.LedgerService')).toContain('NOT_FOUND');
    close();
  });
});
