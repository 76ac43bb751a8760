import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyChain } from '@witan/proof';
import { openEmbeddedPostgres } from '@witan/stack';
import type { EmbeddedPostgres } from '@witan/stack';
import { eventually, openTestPostgres } from '@witan/testing';
import type { TestPostgres } from '@witan/testing';
import { createExpectDocumented } from './expect-documented.ts';
import { expectChatRefusal, expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient, PING } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const STREAM = { ...PING, stream: true };
const OVERLOADED = { status: 503, type: 'server_error', code: 'overloaded' };
const UNAVAILABLE = { status: 503, type: 'server_error', code: 'unavailable' };
const CALLS = 10;
const SERVICES = ['ledger', 'llm-gateway', 'notifier', 'agents', 'simulation', 'api-gateway'];

describe.each(TRANSPORTS)('a PostgreSQL crash and restart, services over %s', (transport) => {
  let server: TestPostgres;
  let restartedServer: EmbeddedPostgres | undefined;
  let fixture: Fixture;
  /** A client whose API key the api-gateway has not cached. */
  let uncachedClient: HttpClient;

  const readAllReadiness = () =>
    Promise.all(
      SERVICES.map(async (name) => {
        const response = await fetch(`${fixture.system.adminUrls[name]}/readyz`);
        const { checks } = (await response.json()) as { checks: { database: string } };
        return [name, response.status, checks.database];
      }),
    );

  beforeAll(async () => {
    server = await openTestPostgres({ durable: true });
    fixture = await openFixture({ transport, postgresUrl: server.url });
    await using keys = await openKeys(fixture.system);
    uncachedClient = createHttpClient(await keys.makeKey());
    const calls = Array.from({ length: CALLS }, () => fixture.client.complete(PING));
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
    expect(await readAllReadiness()).toEqual(SERVICES.map((name) => [name, 200, 'ok']));
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await restartedServer?.stop();
    await server[Symbol.asyncDispose]();
  });

  it('causes 503 in the right shape, before any provider call', async () => {
    const expectDocumented = await createExpectDocumented(fixture.client);
    const callsBefore = fixture.calls().length;
    await server.kill();
    for (const client of [fixture.client, uncachedClient]) {
      for (const body of [PING, STREAM]) {
        const answer = await client.complete(body);
        expectChatRefusal(answer, OVERLOADED);
        expectDocumented(answer, 'POST /v1/chat/completions');
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      }
      const answer = await client.send('/v1/proofs');
      expectNativeRefusal(answer, UNAVAILABLE);
      expectDocumented(answer, 'GET /v1/proofs');
    }
    for (const path of ['/v1/gateway/public-key', '/v1/log/checkpoint', '/v1/log']) {
      expectNativeRefusal(await fixture.client.send(path), UNAVAILABLE);
    }
    expect(fixture.calls()).toHaveLength(callsBefore);
  });

  it('withdraws no service, and leaves what needs no database', async () => {
    expect(await readAllReadiness()).toEqual(SERVICES.map((name) => [name, 200, 'degraded']));
    for (const path of ['/docs', '/v1/openapi.json']) {
      const { status } = await fixture.client.send(path);
      expect([path, status]).toEqual([path, 200]);
    }
  });

  it('recovers without a restart, with every certificate and no gap', async () => {
    const { dir, port } = server;
    restartedServer = await openEmbeddedPostgres({ dir, port, durable: true, log: () => {} });
    await eventually(async () => {
      const { status } = await fixture.client.complete(PING);
      return status === 200 ? status : undefined;
    }, 'an answer');
    expect((await uncachedClient.complete(STREAM)).status).toBe(200);
    const { text } = await fixture.client.send('/v1/proofs/export');
    await expect(verifyChain(text.split('\n'))).resolves.toMatchObject({ count: CALLS + 1 });
  });
});
