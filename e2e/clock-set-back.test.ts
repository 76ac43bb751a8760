import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@witan/testing';
import { createHttpClient } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';

const HOUR_MS = 3_600_000;
const realNow = Date.now;

describe.each(TRANSPORTS)('a clock that is set back by an hour, services over %s', (transport) => {
  let fixture: Fixture;
  let keys: Keys;
  let aheadMs = 0;
  beforeAll(async () => {
    // Before the services start, because they may store the function.
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
    fixture = await openFixture({ transport });
    keys = await openKeys(fixture.system);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  it('keeps no revoked key or its session valid, and cuts no other key off', async () => {
    const [revoked, other] = [await keys.makeKey(), await keys.makeKey()];
    const { client } = fixture;
    const opened = await client.send('/v1/console/sessions', {
      headers: {},
      body: { key: revoked.apiKey },
    });
    const [cookie] = opened.headers.get('set-cookie')!.split(';');
    const session = { cookie: cookie!, 'x-witan-console': '1', 'sec-fetch-site': 'same-origin' };
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await client.send('/v1/agents', { headers })).status;
    const byKey = { 'x-api-key': revoked.apiKey };
    expect([await statusOf(byKey), await statusOf(session)]).toEqual([200, 200]);
    aheadMs = -HOUR_MS;
    await keys.revoke(revoked);
    await eventually(async () => (await statusOf(byKey)) === 401, 'the key to be refused');
    await eventually(async () => (await statusOf(session)) === 401, 'the session to be refused');
    expect((await createHttpClient(other).send('/v1/agents')).status).toBe(200);
  });
});
