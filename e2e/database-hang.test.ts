import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openTestPostgres } from '@witan/testing';
import type { TestPostgres } from '@witan/testing';
import { createHttpClient, PING } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openFreezableProxy } from './open-freezable-proxy.ts';
import type { FreezableProxy } from './open-freezable-proxy.ts';
import { openKeys } from './open-keys.ts';

describe.each(TRANSPORTS)('a PostgreSQL that hangs, services over %s', (transport) => {
  let server: TestPostgres;
  let proxy: FreezableProxy;
  let fixture: Fixture;
  /** A client whose API key the api-gateway has not cached. */
  let uncachedClient: HttpClient;

  beforeAll(async () => {
    server = await openTestPostgres();
    proxy = await openFreezableProxy(server.url);
    fixture = await openFixture({ transport, postgresUrl: proxy.url });
    await using keys = await openKeys(fixture.system);
    uncachedClient = createHttpClient(await keys.makeKey());
    expect((await fixture.client.complete(PING)).status).toBe(200);
  });
  afterAll(async () => {
    proxy.thaw();
    await fixture[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** A service between that waits for the database may exceed its deadline first, which is 504. */
  const expectRefused = ({ status, json, headers }: Answer): void => {
    expect([503, 504]).toContain(status);
    expect(json).toMatchObject({ error: { type: 'server_error', code: expect.any(String) } });
    if (status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/);
  };
  const readiness = async (): Promise<unknown> => {
    const response = await fetch(`${fixture.system.adminUrls['api-gateway']}/readyz`);
    return [response.status, await response.json()];
  };

  it('causes 503 in the right shape instead of calls that hang', async () => {
    expect(await readiness()).toMatchObject([200, { checks: { database: 'ok' } }]);
    proxy.freeze();
    await Promise.all([
      ...[fixture.client, uncachedClient, uncachedClient].map(async (client) =>
        expectRefused(await client.complete(PING)),
      ),
      ...[fixture.client, uncachedClient].map(async (client) =>
        expectRefused(await client.send('/v1/proofs')),
      ),
    ]);
    expect(await readiness()).toMatchObject([200, { checks: { database: 'degraded' } }]);
  }, 60_000);

  it('recovers without a restart', async () => {
    proxy.thaw();
    for (const client of [fixture.client, uncachedClient]) {
      await eventually(async () => (await client.complete(PING)).status === 200, 'an answer');
    }
    expect(await readiness()).toMatchObject([200, { checks: { database: 'ok' } }]);
  });
});
