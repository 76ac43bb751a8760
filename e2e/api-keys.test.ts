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

const KEYS = '/v1/api-keys';
const ONE = `${KEYS}/{id}`;
const ROTATE = `${ONE}/rotate`;
const FAR = '2099-12-31T00:00:00.000Z';
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
type Created = { apiKey: ApiKey; key: string };
type Page = { apiKeys: ApiKey[]; nextCursor?: string };

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

  const join = async (scopes?: string[]): Promise<Member> => {
    const key = await keys.makeKey(scopes);
    return { keyId: key.keyId, workspaceId: key.workspaceId, client: createHttpClient(key) };
  };
  const clientOf = (apiKey: string): HttpClient =>
    createHttpClient({ baseUrl: fixture.system.baseUrl, apiKey });
  const post = async ({ client }: Pick<Member, 'client'>, body: object): Promise<Answer> => {
    const answer = await client.send(KEYS, { body });
    expectDocumented(answer, `POST ${KEYS}`);
    return answer;
  };
  const make = async (member: Pick<Member, 'client'>, more: object = {}): Promise<Created> => {
    const answer = await post(member, { name: 'made', ...more });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    return answer.json as Created;
  };
  const rotate = async (
    { client }: Pick<Member, 'client'>,
    id: string,
    body?: object,
  ): Promise<Answer> => {
    const init = body ? { body } : { method: 'POST' };
    const answer = await client.send(`${KEYS}/${id}/rotate`, init);
    expectDocumented(answer, `POST ${ROTATE}`);
    return answer;
  };
  const revoke = async ({ client }: Pick<Member, 'client'>, id: string): Promise<Answer> => {
    const answer = await client.send(`${KEYS}/${id}`, { method: 'DELETE' });
    expectDocumented(answer, `DELETE ${ONE}`);
    return answer;
  };
  const list = async ({ client }: Pick<Member, 'client'>, query = ''): Promise<Page> => {
    const answer = await client.send(`${KEYS}${query}`);
    expectDocumented(answer, `GET ${KEYS}`);
    expect(answer.status).toBe(200);
    return answer.json as Page;
  };
  const statusOf = async (apiKey: string): Promise<number> =>
    (await clientOf(apiKey).send('/v1/models')).status;
  const auditOf = async ({ workspaceId }: Member): Promise<unknown[]> => {
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
    const owner = await join();
    const answer = await post(owner, {
      name: 'ci',
      scopes: ['gateway', 'ledger:read'],
      expiresAt: '2099-12-31T01:00:00+01:00',
    });
    const { apiKey, key } = answer.json as Created;
    expect(apiKey).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{22}$/),
      name: 'ci',
      prefix: key.slice(0, 16),
      scopes: ['gateway', 'ledger:read'],
      createdAt: expect.any(String),
      expiresAt: FAR,
      lastUsedAt: null,
    });
    expect((await clientOf(key).complete(PING)).status).toBe(200);
    const { apiKeys } = await list(owner);
    expect(apiKeys.map(({ id }) => id)).toEqual([apiKey.id, owner.keyId]);
    expect(JSON.stringify(apiKeys)).not.toContain(key.slice(16));
    expect(fixture.system.logLines.join('\n')).not.toContain(key.slice(16, 48));
  });

  it.each<[string, string[], string[]]>([
    ['* from a key with *', ['*', 'operator'], ['*']],
    ['those of a key without *', ['keys', 'gateway'], ['keys', 'gateway']],
    ['never operator', ['keys', 'operator'], ['keys']],
  ])('have by default %s', async (_name, held, expected) => {
    expect((await make(await join(held))).apiKey.scopes).toEqual(expected);
  });

  it.each<[string, string[], string[], string]>([
    ['a module', ['keys', 'gateway'], ['gateway', 'tools'], 'tools'],
    ['more than reading', ['keys', 'gateway:read'], ['gateway:read', 'gateway'], 'gateway'],
    ['*', ['keys', 'gateway'], ['*'], '*'],
    ['operator from *', ['*'], ['*', 'operator'], 'operator'],
  ])('grant only scopes that they have: not %s', async (_name, held, scopes, param) => {
    const member = await join(held);
    const answer = await post(member, { name: 'more', scopes });
    expectNativeRefusal(answer, { status: 403, code: 'insufficient_scope', param });
    expect(await auditOf(member)).toHaveLength(1);
  });

  it('grant operator if they have it', async () => {
    const { apiKey } = await make(await join(['keys', 'operator']), { scopes: ['operator'] });
    expect(apiKey.scopes).toEqual(['operator']);
  });

  it('are created, rotated and revoked with the scope keys, and listed with keys:read', async () => {
    const reader = await join(['keys:read']);
    const lacking = { status: 403, code: 'insufficient_scope', param: 'keys' };
    expectNativeRefusal(await post(reader, { name: 'x' }), lacking);
    expectNativeRefusal(await rotate(reader, reader.keyId), lacking);
    expectNativeRefusal(await revoke(reader, reader.keyId), lacking);
    expect((await list(reader)).apiKeys).toHaveLength(1);
    const answer = await (await join(['gateway'])).client.send(KEYS);
    expectNativeRefusal(answer, lacking);
  });

  it.each<[string, object, string]>([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of spaces', { name: '  ' }, 'name'],
    ['a name with a NUL', { name: 'a\u0000b' }, 'name'],
    ['a name that is no text', { name: 7 }, 'name'],
    ['an unknown scope', { name: 'x', scopes: ['gateway', 'kitchen'] }, 'scopes[1]'],
    ['no scopes', { name: 'x', scopes: [] }, 'scopes'],
    ['a scope twice', { name: 'x', scopes: ['keys', 'keys'] }, 'scopes'],
    ['an end that is over', { name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['an end that is no time', { name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
    ['an end that is a number', { name: 'x', expiresAt: 4_102_358_400 }, 'expiresAt'],
  ])('are refused with %s', async (_name, body, param) => {
    const member = await join();
    const invalidFields = [{ path: param, message: expect.any(String) }];
    const refusal = { status: 400, code: 'invalid_request', param };
    expectNativeRefusal(await post(member, body), refusal, invalidFields);
    expect((await list(member)).apiKeys).toHaveLength(1);
  });

  it('are listed in pages, newest first, per workspace', async () => {
    const member = await join();
    const made = [member.keyId];
    for (let number = 0; number < 4; number += 1) made.push((await make(member)).apiKey.id);
    const seen: string[] = [];
    for (let query = '?limit=2'; query;) {
      const { apiKeys, nextCursor } = await list(member, query);
      seen.push(...apiKeys.map(({ id }) => id));
      query = nextCursor === undefined ? '' : `?limit=2&cursor=${nextCursor}`;
    }
    expect(seen).toEqual(made.toReversed());
    expect(await list(member, '?limit=5')).not.toHaveProperty('nextCursor');
  });

  it.each([
    ['limit', '?limit=0'],
    ['limit', '?limit=501'],
    ['cursor', '?cursor=nonsense'],
    ['cursor', '?cursor=%00'],
    ['cursor', '?cursor=key_0000000000000000000000'],
  ])('are not listed with an invalid %s: %s', async (param, query) => {
    const { client } = await join();
    const answer = await client.send(`${KEYS}${query}`);
    expectDocumented(answer, `GET ${KEYS}`);
    const invalidFields = [{ path: param, message: expect.any(String) }];
    expectNativeRefusal(answer, { status: 400, code: 'invalid_request', param }, invalidFields);
  });

  it('are revoked permanently: refused within 5 s, shown as revoked, 204 on repetition', async () => {
    const member = await join();
    const { apiKey, key } = await make(member);
    expect(await statusOf(key)).toBe(200);
    const revokedAt = Date.now();
    const answers = [await revoke(member, apiKey.id), await revoke(member, apiKey.id)];
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [204, ''],
      [204, ''],
    ]);
    await refusalOf(key);
    expect(Date.now() - revokedAt).toBeLessThan(REFUSED_WITHIN_MS);
    const { apiKeys } = await list(member);
    expect(apiKeys[0]).toMatchObject({ id: apiKey.id, revokedAt: expect.any(String) });
    expect(apiKeys[1]).not.toHaveProperty('revokedAt');
    expectNativeRefusal(await rotate(member, apiKey.id), { status: 409, code: 'conflict' });
  });

  const refusalOf = (key: string): Promise<number> =>
    eventually(async () => {
      const status = await statusOf(key);
      return status === 401 ? status : undefined;
    }, 'the refusal of the key');

  it('are rotated: both keys work, the old one for 24 hours', async () => {
    const member = await join();
    const old = await make(member, { scopes: ['gateway'], expiresAt: FAR });
    const before = Date.now();
    const answer = await rotate(member, old.apiKey.id);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const fresh = answer.json as Created;
    expect(fresh.apiKey).toEqual({
      ...old.apiKey,
      id: expect.not.stringMatching(old.apiKey.id),
      prefix: fresh.key.slice(0, 16),
      createdAt: expect.any(String),
    });
    expect([await statusOf(old.key), await statusOf(fresh.key)]).toEqual([200, 200]);
    const shown = (await list(member)).apiKeys.find(({ id }) => id === old.apiKey.id)!;
    const grace = Date.parse(shown.expiresAt!) - before;
    expect([grace >= 86_400_000, grace < 86_460_000]).toEqual([true, true]);
    expect(shown).not.toHaveProperty('revokedAt');
  });

  it('do not live longer after a rotation', async () => {
    const member = await join();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { apiKey } = await make(member, { expiresAt });
    await rotate(member, apiKey.id, { immediately: false });
    const ends = (await list(member)).apiKeys.map((shown) => shown.expiresAt);
    expect(ends).toEqual([expiresAt, expiresAt, null]);
  });

  it('are rotated immediately on request: the old key is refused within 5 s', async () => {
    const member = await join();
    const old = await make(member);
    expect(await statusOf(old.key)).toBe(200);
    const rotatedAt = Date.now();
    const fresh = (await rotate(member, old.apiKey.id, { immediately: true })).json as Created;
    expect(await statusOf(fresh.key)).toBe(200);
    await refusalOf(old.key);
    expect(Date.now() - rotatedAt).toBeLessThan(REFUSED_WITHIN_MS);
  });

  it('are not rotated by a key with fewer scopes, after expiry, or with an invalid body', async () => {
    const owner = await join();
    const { apiKey } = await make(owner, { scopes: ['gateway', 'tools'] });
    const lesser = await make(owner, { scopes: ['keys', 'gateway'] });
    const answer = await rotate({ client: clientOf(lesser.key) }, apiKey.id);
    expectNativeRefusal(answer, { status: 403, code: 'insufficient_scope', param: 'tools' });
    const wrong = await rotate(owner, apiKey.id, { immediately: 'yes' });
    const invalidFields = [{ path: 'immediately', message: expect.any(String) }];
    const refusal = { status: 400, code: 'invalid_request', param: 'immediately' };
    expectNativeRefusal(wrong, refusal, invalidFields);
    await keys.expire({ ...owner, keyId: apiKey.id, ...fixture.system });
    expectNativeRefusal(await rotate(owner, apiKey.id), { status: 409, code: 'conflict' });
    expect((await list(owner)).apiKeys).toHaveLength(3);
  });

  it('are revoked only by a key with all of their scopes, or by themselves', async () => {
    const owner = await join();
    const lesser = await make(owner, { scopes: ['keys', 'gateway'] });
    const client = clientOf(lesser.key);
    const refused = await revoke({ client }, owner.keyId);
    expectNativeRefusal(refused, { status: 403, code: 'insufficient_scope', param: '*' });
    const equal = await make(owner, { scopes: ['gateway:read'] });
    expect((await revoke({ client }, equal.apiKey.id)).status).toBe(204);
    expect((await revoke({ client }, lesser.apiKey.id)).status).toBe(204);
    expect((await list(owner)).apiKeys.at(-1)).not.toHaveProperty('revokedAt');
  });

  it('of another workspace return 404, like unknown ones', async () => {
    const [member, other] = [await join(), await join()];
    const missing = { status: 404, code: 'not_found' };
    for (const id of [other.keyId, 'key_0000000000000000000000', 'nonsense', '%00']) {
      expectNativeRefusal(await revoke(member, id), missing);
      expectNativeRefusal(await rotate(member, id), missing);
    }
    expect((await list(other)).apiKeys).toHaveLength(1);
    expect((await list(other)).apiKeys[0]).not.toHaveProperty('revokedAt');
    const cursor = await member.client.send(`${KEYS}?cursor=${other.keyId}`);
    expect(cursor.status).toBe(400);
  });

  it('have an audit record of every change with the acting key', async () => {
    const member = await join();
    const { apiKey } = await make(member);
    const fresh = (await rotate(member, apiKey.id)).json as Created;
    await revoke(member, fresh.apiKey.id);
    const { keyId } = member;
    expect(await auditOf(member)).toEqual([
      ['key.created', keyId, 'e2e', null],
      ['key.created', apiKey.id, keyId, null],
      ['key.created', fresh.apiKey.id, keyId, null],
      ['key.rotated', apiKey.id, keyId, fresh.apiKey.id],
      ['key.revoked', fresh.apiKey.id, keyId, null],
    ]);
  });

  it('have at most one audit record of refusals per minute, with the reason', async () => {
    const member = await join();
    const { apiKey, key } = await make(member);
    await revoke(member, apiKey.id);
    for (let number = 0; number < 5; number += 1) expect(await statusOf(key)).toBe(401);
    // Audit rows are written in order: once that of this second key exists, all earlier ones do.
    const expired = await make(member);
    await keys.expire({ ...member, keyId: expired.apiKey.id, ...fixture.system });
    expect(await statusOf(expired.key)).toBe(401);
    const refusals = await eventually(async () => {
      const rows = (await auditOf(member)).filter((row) => String(row).startsWith('key.refused'));
      return rows.length >= 2 ? rows : undefined;
    }, 'the audit of both refusals');
    expect(refusals).toEqual([
      ['key.refused', apiKey.id, 'unknown', 'revoked'],
      ['key.refused', expired.apiKey.id, 'unknown', 'expired'],
    ]);
  });

  it('are counted when refused, including unknown keys', async () => {
    const forgotten = await keys.makeKey();
    await keys.forget(forgotten);
    const readCounts = async (): Promise<Map<string, number>> => {
      const url = `${fixture.system.adminUrls['api-gateway']!}/metrics`;
      const text = await (await fetch(url)).text();
      const found = text.matchAll(/^api_gateway_keys_refused_total\{reason="(\w+)"\} (\d+)$/gm);
      return new Map([...found].map(([, reason, count]) => [reason!, Number(count)]));
    };
    const before = await readCounts();
    await statusOf(forgotten.apiKey);
    await statusOf('nonsense');
    await fixture.client.send('/v1/models', { headers: {} });
    const after = await readCounts();
    for (const reason of ['unknown', 'malformed', 'missing']) {
      expect([reason, after.get(reason)]).toEqual([reason, (before.get(reason) ?? 0) + 1]);
    }
  });

  it('show their last use to the minute', async () => {
    const member = await join();
    const { apiKey, key } = await make(member);
    const before = Date.now();
    await statusOf(key);
    const lastUsedAt = await eventually(async () => {
      const { apiKeys } = await list(member);
      return apiKeys.find(({ id }) => id === apiKey.id)!.lastUsedAt ?? undefined;
    }, 'the last use of the key');
    expect(lastUsedAt).toMatch(/:00\.000Z$/);
    expect(Math.abs(Date.parse(lastUsedAt) - before)).toBeLessThanOrEqual(60_000);
  });

  // This test must be the last one, because it stops the system.
  it('store their last use when the service stops', async () => {
    const member = await join();
    expect((await member.client.send('/v1/models')).status).toBe(200);
    const start = await fixture.system.interrupt('api-gateway');
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
      await start();
    }
  });
});
