import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient, PING } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const KEYS_PATH = '/v1/api-keys';
const KEY_PATH = `${KEYS_PATH}/{id}`;
const ROTATE_PATH = `${KEY_PATH}/rotate`;
const FAR_FUTURE = '2099-12-31T00:00:00.000Z';
const REFUSED_WITHIN_MS = 5_000;

type ApiKey = {
  id: string;
  name: string;
  prefix: string;
  scopes: string[];
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt?: string;
};
type NewKey = { apiKey: ApiKey; key: string };
type KeyPage = { apiKeys: ApiKey[]; nextCursor?: string };

type Member = { keyId: string; workspaceId: string; client: HttpClient };

describe.each(TRANSPORTS)('API keys, services over %s', (transport) => {
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

  const createMember = async (scopes?: string[]): Promise<Member> => {
    const key = await keys.makeKey(scopes);
    return { keyId: key.keyId, workspaceId: key.workspaceId, client: createHttpClient(key) };
  };
  const clientOf = (apiKey: string): HttpClient =>
    createHttpClient({ baseUrl: fixture.system.baseUrl, apiKey });
  const postKey = async ({ client }: Pick<Member, 'client'>, body: object): Promise<Answer> => {
    const answer = await client.send(KEYS_PATH, { body });
    expectDocumented(answer, `POST ${KEYS_PATH}`);
    return answer;
  };
  const createKey = async (member: Pick<Member, 'client'>, extra: object = {}): Promise<NewKey> => {
    const answer = await postKey(member, { name: 'made', ...extra });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    return answer.json as NewKey;
  };
  const rotate = async ({ client }: Pick<Member, 'client'>, id: string, body?: object) => {
    const init = body ? { body } : { method: 'POST' };
    const answer = await client.send(`${KEYS_PATH}/${id}/rotate`, init);
    expectDocumented(answer, `POST ${ROTATE_PATH}`);
    return answer;
  };
  const revoke = async ({ client }: Pick<Member, 'client'>, id: string): Promise<Answer> => {
    const answer = await client.send(`${KEYS_PATH}/${id}`, { method: 'DELETE' });
    expectDocumented(answer, `DELETE ${KEY_PATH}`);
    return answer;
  };
  const listKeys = async ({ client }: Pick<Member, 'client'>, query = ''): Promise<KeyPage> => {
    const answer = await client.send(`${KEYS_PATH}${query}`);
    expectDocumented(answer, `GET ${KEYS_PATH}`);
    expect(answer.status).toBe(200);
    return answer.json as KeyPage;
  };
  const statusOf = async (apiKey: string): Promise<number> =>
    (await clientOf(apiKey).send('/v1/models')).status;
  const readAudit = async ({ workspaceId }: Member): Promise<unknown[]> => {
    const admin = new Client({ connectionString: fixture.system.databaseUrl });
    await admin.connect();
    try {
      const { rows } = await admin.query<Record<string, string | null>>(
        `SELECT action, subject, actor, detail FROM api_gateway.audit
         WHERE workspace_id = $1 ORDER BY at, action`,
        [workspaceId],
      );
      return rows.map(({ action, subject, actor, detail }) => [action, subject, actor, detail]);
    } finally {
      await admin.end();
    }
  };

  it('are created as requested, work at once, and are shown in full only once', async () => {
    const owner = await createMember();
    const answer = await postKey(owner, {
      name: 'ci',
      scopes: ['gateway', 'ledger:read'],
      expiresAt: '2099-12-31T01:00:00+01:00',
    });
    const { apiKey, key } = answer.json as NewKey;
    expect(apiKey).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{22}$/),
      name: 'ci',
      prefix: key.slice(0, 16),
      scopes: ['gateway', 'ledger:read'],
      createdAt: expect.any(String),
      expiresAt: FAR_FUTURE,
      lastUsedAt: null,
    });
    expect((await clientOf(key).complete(PING)).status).toBe(200);
    const { apiKeys } = await listKeys(owner);
    expect(apiKeys.map(({ id }) => id)).toEqual([apiKey.id, owner.keyId]);
    expect(JSON.stringify(apiKeys)).not.toContain(key.slice(16));
    expect(fixture.system.logLines.join('\n')).not.toContain(key.slice(16, 48));
  });

  it.each<[string, string[], string[]]>([
    ['* for a key with *', ['*', 'operator'], ['*']],
    ['the scopes of a key without *', ['keys', 'gateway'], ['keys', 'gateway']],
    ['never operator', ['keys', 'operator'], ['keys']],
  ])('have by default %s', async (_name, ownScopes, expected) => {
    expect((await createKey(await createMember(ownScopes))).apiKey.scopes).toEqual(expected);
  });

  it.each<[string, string[], string[], string]>([
    ['another module', ['keys', 'gateway'], ['gateway', 'tools'], 'tools'],
    ['write access', ['keys', 'gateway:read'], ['gateway:read', 'gateway'], 'gateway'],
    ['*', ['keys', 'gateway'], ['*'], '*'],
    ['operator from *', ['*'], ['*', 'operator'], 'operator'],
  ])('grant only scopes that they have: not %s', async (_name, ownScopes, scopes, param) => {
    const member = await createMember(ownScopes);
    const answer = await postKey(member, { name: 'more', scopes });
    expectNativeRefusal(answer, { status: 403, code: 'insufficient_scope', param });
    expect(await readAudit(member)).toHaveLength(1);
  });

  it('grant operator if they have it', async () => {
    const { apiKey } = await createKey(await createMember(['keys', 'operator']), {
      scopes: ['operator'],
    });
    expect(apiKey.scopes).toEqual(['operator']);
  });

  it('are created, rotated and revoked with the scope keys, and listed with keys:read', async () => {
    const reader = await createMember(['keys:read']);
    const missingScope = { status: 403, code: 'insufficient_scope', param: 'keys' };
    expectNativeRefusal(await postKey(reader, { name: 'x' }), missingScope);
    expectNativeRefusal(await rotate(reader, reader.keyId), missingScope);
    expectNativeRefusal(await revoke(reader, reader.keyId), missingScope);
    expect((await listKeys(reader)).apiKeys).toHaveLength(1);
    const answer = await (await createMember(['gateway'])).client.send(KEYS_PATH);
    expectNativeRefusal(answer, missingScope);
  });

  it.each<[string, object, string]>([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of spaces', { name: '  ' }, 'name'],
    ['a name with a NUL', { name: 'a\u0000b' }, 'name'],
    ['a name that is not a string', { name: 7 }, 'name'],
    ['an unknown scope', { name: 'x', scopes: ['gateway', 'kitchen'] }, 'scopes[1]'],
    ['no scopes', { name: 'x', scopes: [] }, 'scopes'],
    ['a scope twice', { name: 'x', scopes: ['keys', 'keys'] }, 'scopes'],
    ['an expiry in the past', { name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['an expiry that is not a time', { name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
    ['an expiry that is a number', { name: 'x', expiresAt: 4_102_358_400 }, 'expiresAt'],
  ])('are refused with %s', async (_name, body, param) => {
    const member = await createMember();
    const invalidFields = [{ path: param, message: expect.any(String) }];
    const refusal = { status: 400, code: 'invalid_request', param };
    expectNativeRefusal(await postKey(member, body), refusal, invalidFields);
    expect((await listKeys(member)).apiKeys).toHaveLength(1);
  });

  it('are listed in pages, newest first, per workspace', async () => {
    const member = await createMember();
    const ids = [member.keyId];
    for (let number = 0; number < 4; number += 1) ids.push((await createKey(member)).apiKey.id);
    const listedIds: string[] = [];
    for (let query = '?limit=2'; query;) {
      const { apiKeys, nextCursor } = await listKeys(member, query);
      listedIds.push(...apiKeys.map(({ id }) => id));
      query = nextCursor === undefined ? '' : `?limit=2&cursor=${nextCursor}`;
    }
    expect(listedIds).toEqual(ids.toReversed());
    expect(await listKeys(member, '?limit=5')).not.toHaveProperty('nextCursor');
  });

  it.each([
    ['limit', '?limit=0'],
    ['limit', '?limit=501'],
    ['cursor', '?cursor=nonsense'],
    ['cursor', '?cursor=%00'],
    ['cursor', '?cursor=key_0000000000000000000000'],
  ])('are not listed with an invalid %s: %s', async (param, query) => {
    const { client } = await createMember();
    const answer = await client.send(`${KEYS_PATH}${query}`);
    expectDocumented(answer, `GET ${KEYS_PATH}`);
    const invalidFields = [{ path: param, message: expect.any(String) }];
    expectNativeRefusal(answer, { status: 400, code: 'invalid_request', param }, invalidFields);
  });

  it('are revoked permanently: refused within 5 s, shown as revoked, 204 on repetition', async () => {
    const member = await createMember();
    const { apiKey, key } = await createKey(member);
    expect(await statusOf(key)).toBe(200);
    const revokedAt = Date.now();
    const answers = [await revoke(member, apiKey.id), await revoke(member, apiKey.id)];
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [204, ''],
      [204, ''],
    ]);
    await waitUntilRefused(key);
    expect(Date.now() - revokedAt).toBeLessThan(REFUSED_WITHIN_MS);
    const { apiKeys } = await listKeys(member);
    expect(apiKeys[0]).toMatchObject({ id: apiKey.id, revokedAt: expect.any(String) });
    expect(apiKeys[1]).not.toHaveProperty('revokedAt');
    expectNativeRefusal(await rotate(member, apiKey.id), { status: 409, code: 'conflict' });
  });

  const waitUntilRefused = (key: string): Promise<number> =>
    eventually(async () => {
      const status = await statusOf(key);
      return status === 401 ? status : undefined;
    }, 'the refusal of the key');

  it('are rotated: both keys work, the old one for 24 hours', async () => {
    const member = await createMember();
    const oldKey = await createKey(member, { scopes: ['gateway'], expiresAt: FAR_FUTURE });
    const before = Date.now();
    const answer = await rotate(member, oldKey.apiKey.id);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const newKey = answer.json as NewKey;
    expect(newKey.apiKey).toEqual({
      ...oldKey.apiKey,
      id: expect.not.stringMatching(oldKey.apiKey.id),
      prefix: newKey.key.slice(0, 16),
      createdAt: expect.any(String),
    });
    expect([await statusOf(oldKey.key), await statusOf(newKey.key)]).toEqual([200, 200]);
    const listedKey = (await listKeys(member)).apiKeys.find(({ id }) => id === oldKey.apiKey.id)!;
    const graceMs = Date.parse(listedKey.expiresAt!) - before;
    expect([graceMs >= 86_400_000, graceMs < 86_460_000]).toEqual([true, true]);
    expect(listedKey).not.toHaveProperty('revokedAt');
  });

  it('do not live longer after a rotation', async () => {
    const member = await createMember();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { apiKey } = await createKey(member, { expiresAt });
    await rotate(member, apiKey.id, { immediately: false });
    const expiryTimes = (await listKeys(member)).apiKeys.map((listedKey) => listedKey.expiresAt);
    expect(expiryTimes).toEqual([expiresAt, expiresAt, null]);
  });

  it('are rotated immediately on request: the old key is refused within 5 s', async () => {
    const member = await createMember();
    const oldKey = await createKey(member);
    expect(await statusOf(oldKey.key)).toBe(200);
    const rotatedAt = Date.now();
    const newKey = (await rotate(member, oldKey.apiKey.id, { immediately: true })).json as NewKey;
    expect(await statusOf(newKey.key)).toBe(200);
    await waitUntilRefused(oldKey.key);
    expect(Date.now() - rotatedAt).toBeLessThan(REFUSED_WITHIN_MS);
  });

  it('are not rotated by a key with fewer scopes, after expiry, or with an invalid body', async () => {
    const owner = await createMember();
    const { apiKey } = await createKey(owner, { scopes: ['gateway', 'tools'] });
    const limitedKey = await createKey(owner, { scopes: ['keys', 'gateway'] });
    const answer = await rotate({ client: clientOf(limitedKey.key) }, apiKey.id);
    expectNativeRefusal(answer, { status: 403, code: 'insufficient_scope', param: 'tools' });
    const invalidAnswer = await rotate(owner, apiKey.id, { immediately: 'yes' });
    const invalidFields = [{ path: 'immediately', message: expect.any(String) }];
    const refusal = { status: 400, code: 'invalid_request', param: 'immediately' };
    expectNativeRefusal(invalidAnswer, refusal, invalidFields);
    await keys.expire({ ...owner, keyId: apiKey.id, ...fixture.system });
    expectNativeRefusal(await rotate(owner, apiKey.id), { status: 409, code: 'conflict' });
    expect((await listKeys(owner)).apiKeys).toHaveLength(3);
  });

  it('are revoked only by a key with all of their scopes, or by themselves', async () => {
    const owner = await createMember();
    const limitedKey = await createKey(owner, { scopes: ['keys', 'gateway'] });
    const client = clientOf(limitedKey.key);
    const refusal = await revoke({ client }, owner.keyId);
    expectNativeRefusal(refusal, { status: 403, code: 'insufficient_scope', param: '*' });
    const readOnlyKey = await createKey(owner, { scopes: ['gateway:read'] });
    expect((await revoke({ client }, readOnlyKey.apiKey.id)).status).toBe(204);
    expect((await revoke({ client }, limitedKey.apiKey.id)).status).toBe(204);
    expect((await listKeys(owner)).apiKeys.at(-1)).not.toHaveProperty('revokedAt');
  });

  it('of another workspace return 404, like unknown ones', async () => {
    const [member, other] = [await createMember(), await createMember()];
    const notFound = { status: 404, code: 'not_found' };
    for (const id of [other.keyId, 'key_0000000000000000000000', 'nonsense', '%00']) {
      expectNativeRefusal(await revoke(member, id), notFound);
      expectNativeRefusal(await rotate(member, id), notFound);
    }
    expect((await listKeys(other)).apiKeys).toHaveLength(1);
    expect((await listKeys(other)).apiKeys[0]).not.toHaveProperty('revokedAt');
    const cursorAnswer = await member.client.send(`${KEYS_PATH}?cursor=${other.keyId}`);
    expect(cursorAnswer.status).toBe(400);
  });

  it('have an audit record of every change with the acting key', async () => {
    const member = await createMember();
    const { apiKey } = await createKey(member);
    const newKey = (await rotate(member, apiKey.id)).json as NewKey;
    await revoke(member, newKey.apiKey.id);
    const { keyId } = member;
    expect(await readAudit(member)).toEqual([
      ['key.created', keyId, 'e2e', null],
      ['key.created', apiKey.id, keyId, null],
      ['key.created', newKey.apiKey.id, keyId, null],
      ['key.rotated', apiKey.id, keyId, newKey.apiKey.id],
      ['key.revoked', newKey.apiKey.id, keyId, null],
    ]);
  });

  it('have at most one audit record of refusals per minute, with the reason', async () => {
    const member = await createMember();
    const { apiKey, key } = await createKey(member);
    await revoke(member, apiKey.id);
    for (let number = 0; number < 5; number += 1) expect(await statusOf(key)).toBe(401);
    // Audit rows are written in order: once this key has a row, all rows of the first key exist.
    const expired = await createKey(member);
    await keys.expire({ ...member, keyId: expired.apiKey.id, ...fixture.system });
    expect(await statusOf(expired.key)).toBe(401);
    const refusals = await eventually(async () => {
      const rows = (await readAudit(member)).filter((row) => String(row).startsWith('key.refused'));
      return rows.length >= 2 ? rows : undefined;
    }, 'the audit of both refusals');
    expect(refusals).toEqual([
      ['key.refused', apiKey.id, 'unknown', 'revoked'],
      ['key.refused', expired.apiKey.id, 'unknown', 'expired'],
    ]);
  });

  it('are counted when refused, including unknown keys', async () => {
    const unknownKey = await keys.makeKey();
    await keys.deleteRow(unknownKey);
    const readCounts = async (): Promise<Map<string, number>> => {
      const url = `${fixture.system.adminUrls['api-gateway']!}/metrics`;
      const text = await (await fetch(url)).text();
      const matches = text.matchAll(/^api_gateway_keys_refused_total\{reason="(\w+)"\} (\d+)$/gm);
      return new Map([...matches].map(([, reason, count]) => [reason!, Number(count)]));
    };
    const before = await readCounts();
    await statusOf(unknownKey.apiKey);
    await statusOf('nonsense');
    await fixture.client.send('/v1/models', { headers: {} });
    const after = await readCounts();
    for (const reason of ['unknown', 'malformed', 'missing']) {
      expect([reason, after.get(reason)]).toEqual([reason, (before.get(reason) ?? 0) + 1]);
    }
  });

  it('show their last use to the minute', async () => {
    const member = await createMember();
    const { apiKey, key } = await createKey(member);
    const before = Date.now();
    await statusOf(key);
    const lastUsedAt = await eventually(async () => {
      const { apiKeys } = await listKeys(member);
      return apiKeys.find(({ id }) => id === apiKey.id)!.lastUsedAt ?? undefined;
    }, 'the last use of the key');
    expect(lastUsedAt).toMatch(/:00\.000Z$/);
    expect(Math.abs(Date.parse(lastUsedAt) - before)).toBeLessThanOrEqual(60_000);
  });

  // This test must be the last one, because it restarts the api-gateway.
  it('store their last use when the service stops', async () => {
    const member = await createMember();
    expect((await member.client.send('/v1/models')).status).toBe(200);
    const restart = await fixture.system.interrupt('api-gateway');
    const admin = new Client({ connectionString: fixture.system.databaseUrl });
    await admin.connect();
    try {
      const { rows } = await admin.query<{ used: boolean }>(
        'SELECT last_used_at IS NOT NULL AS used FROM api_gateway.api_key WHERE id = $1',
        [member.keyId],
      );
      expect(rows).toEqual([{ used: true }]);
    } finally {
      await admin.end();
      await restart();
    }
  });
});
