import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectChatRefusal, expectNativeRefusal } from './expect-refusal.ts';
import { CHAT, createHttpClient, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const INVALID_KEY = { status: 401, code: 'invalid_api_key' };
const FOREIGN_KEY = 'sk-proj-of-another-provider';

describe.each(TRANSPORTS)('authentication, services over %s', (transport) => {
  let fixture: Fixture;
  let keys: Keys;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    keys = await openKeys(fixture.system);
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const callBoth = async (headers: Record<string, string>): Promise<[Answer, Answer]> => {
    const contentType = { 'content-type': 'application/json' };
    const chat = await fixture.client.complete(PING, { headers: { ...contentType, ...headers } });
    const native = await fixture.client.send('/v1/proofs', { headers });
    expectDocumented(chat, 'POST /v1/chat/completions');
    expectDocumented(native, 'GET /v1/proofs');
    return [chat, native];
  };

  const unusableCredentials: [string, () => Promise<Record<string, string>>][] = [
    ['no key', async () => ({})],
    ['an empty key', async () => ({ 'x-api-key': '', authorization: 'Bearer ' })],
    ["another provider's key", async () => ({ authorization: `Bearer ${FOREIGN_KEY}` })],
    ['another scheme', async () => ({ authorization: `Basic ${fixture.system.apiKey}` })],
    ['a mistyped key', async () => ({ 'x-api-key': fixture.system.apiKey.replace(/.$/, '~') })],
    [
      'a key with a wrong checksum',
      async () => ({ 'x-api-key': withWrongChecksum(fixture.system.apiKey) }),
    ],
    ['an unknown key', async () => makeUnusableKey(keys.deleteRow)],
    ['a revoked key', async () => makeUnusableKey(keys.revoke)],
    ['an expired key', async () => makeUnusableKey(keys.expire)],
  ];

  const makeUnusableKey = async (invalidate: Keys['revoke']): Promise<Record<string, string>> => {
    const key = await keys.makeKey();
    await invalidate(key);
    return { 'x-api-key': key.apiKey };
  };

  it.each(unusableCredentials)(
    'refuses a call with the same 401: %s',
    async (_name, makeHeaders) => {
      const before = fixture.calls().length;
      const headers = await makeHeaders();
      const [chat, native] = await callBoth(headers);
      expectChatRefusal(chat, INVALID_KEY);
      expectNativeRefusal(native, INVALID_KEY);
      const [reference] = await callBoth({});
      expect(chat.json).toEqual(reference.json);
      expect(reference.headers.get('www-authenticate')).toBe('Bearer realm="witan"');
      const isKeySent = Object.values(headers).some((value) => /^(Bearer )?sk[_-]/.test(value));
      const challenge = `Bearer realm="witan"${isKeySent ? ', error="invalid_token"' : ''}`;
      for (const { headers: responseHeaders } of [chat, native]) {
        expect(responseHeaders.get('www-authenticate')).toBe(challenge);
      }
      expect(fixture.calls()).toHaveLength(before);
    },
  );

  it('refuses a key within 5 s after its revocation', async () => {
    const key = await keys.makeKey();
    const client = createHttpClient(key);
    expect((await client.complete(PING)).status).toBe(200);
    await keys.revoke(key);
    const revokedAt = Date.now();
    await eventually(async () => {
      const { status } = await client.send('/v1/models');
      return status === 401 ? status : undefined;
    }, 'the refusal of the revoked key');
    expect(Date.now() - revokedAt).toBeLessThan(5_000);
  });

  it('refuses a call with 403 and the missing scope', async () => {
    const { apiKey } = await keys.makeKey(['agents', 'conversations', 'operator']);
    const [chat, native] = await callBoth({ 'x-api-key': apiKey });
    const refusal = { status: 403, code: 'insufficient_scope', param: 'gateway' };
    expectChatRefusal(chat, refusal);
    expectNativeRefusal(native, refusal);
  });

  it('lets a read scope read and do nothing else', async () => {
    const { apiKey } = await keys.makeKey(['gateway:read']);
    const [chat, native] = await callBoth({ 'x-api-key': apiKey });
    expect([chat.status, native.status]).toEqual([403, 200]);
    const models = await fixture.client.send('/v1/models', { headers: { 'x-api-key': apiKey } });
    expect(models.status).toBe(200);
    expectDocumented(models, 'GET /v1/models');
  });

  it('accepts the key in either header, in both, and beside an unrelated one', async () => {
    const { apiKey } = fixture.system;
    const validCredentials: Record<string, string>[] = [
      { 'x-api-key': apiKey },
      { authorization: `Bearer ${apiKey}` },
      { authorization: `bearer   ${apiKey} ` },
      { 'x-api-key': apiKey, authorization: `Bearer ${apiKey}` },
      { 'x-api-key': apiKey, authorization: `Bearer ${FOREIGN_KEY}` },
      { 'x-api-key': FOREIGN_KEY, authorization: `Bearer ${apiKey}` },
    ];
    for (const headers of validCredentials) {
      const [chat, native] = await callBoth(headers);
      expect([chat.status, native.status]).toEqual([200, 200]);
    }
  });

  it('refuses two different keys with 400', async () => {
    const otherKey = await keys.makeKey();
    const authorization = `Bearer ${otherKey.apiKey}`;
    const [chat, native] = await callBoth({ 'x-api-key': fixture.system.apiKey, authorization });
    const refusal = { status: 400, code: 'ambiguous_credentials' };
    expectChatRefusal(chat, refusal);
    expectNativeRefusal(native, refusal);
  });

  it('is not required for the public key and the reference', async () => {
    for (const path of ['/v1/gateway/public-key', '/v1/openapi.json']) {
      const answer = await fixture.client.send(path, { headers: {} });
      expect(answer.status).toBe(200);
      expectDocumented(answer, `GET ${path}`);
    }
  });

  it('happens before the body is read', async () => {
    const answer = await fixture.client.send(CHAT, { body: '{', headers: {} });
    expectChatRefusal(answer, INVALID_KEY);
  });
});

/** Returns the key with another last character, which makes its checksum invalid. */
const withWrongChecksum = (key: string): string =>
  key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
