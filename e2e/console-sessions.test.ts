import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient, PING } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openKeys } from './open-keys.ts';
import type { CreatedKey, Keys } from './open-keys.ts';

const SESSIONS_PATH = '/v1/console/sessions';
const SESSION_PATH = '/v1/console/session';
const LINKS_PATH = '/v1/console/links';
const COOKIE =
  /^((?:__Host-)?witan_session)=([A-Za-z0-9_-]{43}); HttpOnly; SameSite=Strict; Path=\/; (.*)$/;
const SAME_SITE = { 'sec-fetch-site': 'same-origin' };

type Session = { id: string; keyId: string; expiresAt: string; createdAt: string };

describe.each(TRANSPORTS)('console sessions, services over %s', (transport) => {
  let fixture: Fixture;
  let keys: Keys;
  let client: HttpClient;
  let expectDocumented: ExpectDocumented;
  beforeAll(async () => {
    fixture = await openFixture({ transport });
    keys = await openKeys(fixture.system);
    ({ client } = fixture);
    expectDocumented = await createExpectDocumented(client);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const signIn = async (body: object, headers = {}): Promise<Answer> => {
    const answer = await client.send(SESSIONS_PATH, { body, headers });
    expectDocumented(answer, `POST ${SESSIONS_PATH}`);
    return answer;
  };
  const open = async (body: object) => {
    const answer = await signIn(body);
    expect(answer.status).toBe(201);
    const [, , token] = COOKIE.exec(answer.headers.get('set-cookie')!)!;
    const { session } = answer.json as { session: Session };
    const cookie = `witan_session=${token}`;
    return { session, token: token!, headers: { cookie, 'x-witan-console': '1', ...SAME_SITE } };
  };
  const statusOf = async (headers: Record<string, string>, path = SESSION_PATH): Promise<number> =>
    (await client.send(path, { headers })).status;
  const createLink = async (key: CreatedKey): Promise<{ url: string; expiresAt: string }> => {
    const answer = await createHttpClient(key).send(LINKS_PATH, { method: 'POST' });
    expectDocumented(answer, `POST ${LINKS_PATH}`);
    expect(answer.status).toBe(201);
    return (answer.json as { link: { url: string; expiresAt: string } }).link;
  };
  const tokenOf = ({ url }: { url: string }): string => new URL(url).hash.slice('#token='.length);
  const query = async (sql: string, values: unknown[]): Promise<Record<string, unknown>[]> => {
    const admin = new Client({ connectionString: fixture.system.databaseUrl });
    await admin.connect();
    try {
      return (await admin.query<Record<string, unknown>>(sql, values)).rows;
    } finally {
      await admin.end();
    }
  };
  const untilRefused = (headers: Record<string, string>): Promise<Answer> =>
    eventually(async () => {
      const answer = await client.send(SESSION_PATH, { headers });
      return answer.status === 401 ? answer : undefined;
    }, 'the refusal of the session');

  it('are opened with a key and authenticate every path with its scopes', async () => {
    const key = await keys.makeKey(['gateway', 'keys:read']);
    const { session, headers } = await open({ key: key.apiKey });
    expect(session).toEqual({
      id: expect.stringMatching(/^cns_/),
      workspaceId: key.workspaceId,
      workspaceName: 'e2e',
      userId: expect.stringMatching(/^usr_/),
      keyId: key.keyId,
      keyName: 'e2e',
      scopes: ['gateway', 'keys:read'],
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).toBe(43_200_000);
    const answer = await client.send(SESSION_PATH, { headers });
    expectDocumented(answer, `GET ${SESSION_PATH}`);
    expect(answer.json).toEqual({ session });
    expect((await client.complete(PING, { headers })).status).toBe(200);
    const refusal = await client.send('/v1/tools', { headers });
    expectNativeRefusal(refusal, { status: 403, code: 'insufficient_scope', param: 'tools' });
  });

  it('set a cookie that pages cannot read, secure behind HTTPS, whose hash alone is stored', async () => {
    const { apiKey } = await keys.makeKey();
    const plain = (await signIn({ key: apiKey })).headers.get('set-cookie')!;
    const https = await signIn({ key: apiKey }, { 'x-forwarded-proto': 'https' });
    const [, name, token, plainRest] = COOKIE.exec(plain)!;
    expect([name, plainRest]).toEqual(['witan_session', 'Max-Age=43200']);
    const [, secureName, secureToken, rest] = COOKIE.exec(https.headers.get('set-cookie')!)!;
    expect([secureName, rest]).toEqual(['__Host-witan_session', 'Max-Age=43200; Secure']);
    const shared = { 'x-witan-console': '1', ...SAME_SITE };
    const secure = { ...shared, 'x-forwarded-proto': 'https' };
    const cookie = `__Host-witan_session=${secureToken}`;
    // A sibling domain can set a cookie without the prefix, which does not count under HTTPS.
    const planted = `witan_session=${token}`;
    expect(await statusOf({ ...secure, cookie: `${planted}; ${cookie}` })).toBe(200);
    expect(await statusOf({ ...secure, cookie: planted })).toBe(401);
    expect(await statusOf({ ...shared, cookie })).toBe(401);
    expect(await statusOf({ ...shared, cookie: planted })).toBe(200);
    const rows = await query('SELECT row_to_json(s) AS row FROM api_gateway.console_session s', []);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(fixture.system.logLines.join('\n')).not.toContain(token);
  });

  it.each<[string, Record<string, string | undefined>, number]>([
    ['from the same origin', {}, 200],
    ['without the header of the console', { 'x-witan-console': undefined }, 403],
    ['with another value of that header', { 'x-witan-console': '0' }, 403],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['from another origin of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['from the address bar', { 'sec-fetch-site': 'none' }, 403],
    ['without any origin', { 'sec-fetch-site': undefined }, 403],
    ['with the own origin', { 'sec-fetch-site': undefined, origin: 'OWN' }, 200],
    ['with another origin', { 'sec-fetch-site': undefined, origin: 'http://evil.example' }, 403],
    ['with an opaque origin', { 'sec-fetch-site': undefined, origin: 'null' }, 403],
    ['with the own referrer', { 'sec-fetch-site': undefined, referer: 'OWN' }, 200],
    [
      'with a referrer of another port',
      { 'sec-fetch-site': undefined, referer: 'http://127.0.0.1:1/' },
      403,
    ],
    [
      'with the own origin from another site',
      { 'sec-fetch-site': 'cross-site', origin: 'OWN' },
      403,
    ],
  ])('are accepted or refused %s', async (_name, change, status) => {
    const { headers } = await open({ key: (await keys.makeKey()).apiKey });
    const changed = Object.entries({ ...headers, ...change }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === 'OWN' ? fixture.system.baseUrl : value]],
    );
    const answer = await client.send(SESSION_PATH, { headers: Object.fromEntries(changed) });
    expectDocumented(answer, `GET ${SESSION_PATH}`);
    expect(answer.status).toBe(status);
    if (status === 403) expectNativeRefusal(answer, { status, code: 'cross_origin_request' });
  });

  it('are ignored next to a key, and refused if unknown', async () => {
    const { headers } = await open({ key: (await keys.makeKey(['gateway'])).apiKey });
    const other = await keys.makeKey(['tools']);
    expect(await statusOf({ ...headers, 'x-api-key': other.apiKey }, '/v1/tools')).toBe(200);
    const withBoth = { ...headers, 'x-api-key': '', authorization: `Bearer ${other.apiKey}` };
    expect(await statusOf(withBoth, '/v1/tools')).toBe(200);
    const unknown = { ...headers, cookie: `witan_session=${'A'.repeat(43)}` };
    const answer = await client.send(SESSION_PATH, { headers: unknown });
    expectDocumented(answer, `GET ${SESSION_PATH}`);
    expectNativeRefusal(answer, { status: 401, code: 'session_ended' });
    expect(await statusOf({ ...headers, cookie: 'witan_session=short' })).toBe(401);
    expect(await statusOf({ 'x-api-key': other.apiKey })).toBe(404);
  });

  it('are not opened with a bad key or token, always with one message', async () => {
    const key = await keys.makeKey();
    const revoked = await keys.makeKey();
    await keys.revoke(revoked);
    const bodies = [
      { key: '' },
      { key: 'nonsense' },
      { key: revoked.apiKey },
      { key: `${key.apiKey.slice(0, -1)}!` },
      { token: '' },
      { token: 'A'.repeat(43) },
    ];
    const messages = new Set<string>();
    for (const body of bodies) {
      const answer = await signIn(body);
      expectNativeRefusal(answer, { status: 401, code: 'invalid_api_key' });
      expect(answer.headers.get('set-cookie')).toBeNull();
      messages.add((answer.json as { error: { message: string } }).error.message);
    }
    expect(messages.size).toBe(1);
    for (const body of [{}, { key: key.apiKey, token: 'A' }]) {
      expect((await signIn(body)).status).toBe(400);
    }
  });

  it('end with sign-out, which clears the cookie', async () => {
    const { headers } = await open({ key: (await keys.makeKey()).apiKey });
    const answer = await client.send(SESSION_PATH, { method: 'DELETE', headers });
    expectDocumented(answer, `DELETE ${SESSION_PATH}`);
    expect(answer.headers.get('set-cookie')).toMatch(/^witan_session=; .*Max-Age=0/);
    expectNativeRefusal(await untilRefused(headers), { status: 401, code: 'session_ended' });
  });

  it('end with their key, and after their time', async () => {
    const key = await keys.makeKey();
    const [session, second] = [await open({ key: key.apiKey }), await open({ key: key.apiKey })];
    await query(
      `UPDATE api_gateway.console_session SET expires_at = now() - interval '1 second'
       WHERE id = $1`,
      [second.session.id],
    );
    await untilRefused(second.headers);
    expect(await statusOf(session.headers)).toBe(200);
    await keys.revoke(key);
    await untilRefused(session.headers);
  });

  it('are listed in pages and ended by keys with their scopes only', async () => {
    const owner = await keys.makeKey();
    const opened = [await open({ key: owner.apiKey }), await open({ key: owner.apiKey })];
    const ownerClient = createHttpClient(owner);
    const page = await ownerClient.send(`${SESSIONS_PATH}?limit=1`);
    expectDocumented(page, `GET ${SESSIONS_PATH}`);
    const { sessions, nextCursor } = page.json as { sessions: Session[]; nextCursor: string };
    const rest = await ownerClient.send(`${SESSIONS_PATH}?limit=1&cursor=${nextCursor}`);
    expect([...sessions, ...(rest.json as { sessions: Session[] }).sessions]).toEqual(
      opened.map(({ session }) => session).toReversed(),
    );
    expect(rest.json).not.toHaveProperty('nextCursor');
    const limited = await ownerClient.send('/v1/api-keys', {
      body: { name: 'l', scopes: ['keys'] },
    });
    const { key: apiKey } = limited.json as { key: string };
    const path = `${SESSIONS_PATH}/${opened[0]!.session.id}`;
    const end = async (caller: HttpClient): Promise<Answer> => {
      const answer = await caller.send(path, { method: 'DELETE' });
      expectDocumented(answer, `DELETE ${SESSIONS_PATH}/{id}`);
      return answer;
    };
    const refusal = await end(createHttpClient({ ...owner, apiKey }));
    expectNativeRefusal(refusal, { status: 403, code: 'insufficient_scope', param: '*' });
    expect((await end(createHttpClient(await keys.makeKey()))).status).toBe(404);
    expect((await end(ownerClient)).status).toBe(204);
    expect((await end(ownerClient)).status).toBe(404);
    await untilRefused(opened[0]!.headers);
    expect(await statusOf(opened[1]!.headers)).toBe(200);
  });

  it('are opened once by a link, which has the scopes of its key', async () => {
    const key = await keys.makeKey(['keys', 'gateway']);
    const link = await createLink(key);
    expect(link.url.slice(0, link.url.indexOf('#'))).toBe(`${fixture.system.baseUrl}/console/`);
    const validMs = Date.parse(link.expiresAt) - Date.now();
    expect([validMs > 590_000, validMs <= 600_000]).toEqual([true, true]);
    const token = tokenOf(link);
    const answers = await Promise.all([1, 2, 3].map(() => signIn({ token })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 401, 401]);
    const { json } = answers.find(({ status }) => status === 201)!;
    expect(json).toMatchObject({ session: { keyId: key.keyId, scopes: ['keys', 'gateway'] } });
    expect(fixture.system.logLines.join('\n')).not.toContain(token);
  });

  it('make no link, and are not opened by a page of another origin', async () => {
    const key = await keys.makeKey();
    const { headers } = await open({ key: key.apiKey });
    const link = await client.send(LINKS_PATH, { method: 'POST', headers });
    expectNativeRefusal(link, { status: 403, code: 'session_not_allowed' });
    const origins: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://127.0.0.1:1' },
    ];
    for (const foreign of origins) {
      const body = { key: key.apiKey };
      const refusal = await client.send(SESSIONS_PATH, { body, headers: foreign });
      expectNativeRefusal(refusal, { status: 403, code: 'cross_origin_request' });
      expect(refusal.headers.get('set-cookie')).toBeNull();
    }
  });

  it('make and rotate no keys, unless the request also has a key', async () => {
    const key = await keys.makeKey();
    const { headers } = await open({ key: key.apiKey });
    const body = { name: 'made', scopes: ['gateway:read'], expiresAt: '2099-01-01T00:00:00Z' };
    const path = `/v1/api-keys/${key.keyId}/rotate`;
    for (const refused of [
      await client.send('/v1/api-keys', { body, headers }),
      await client.send('/v1/api-keys', { body: { name: 'made' }, headers }),
      await client.send(path, { method: 'POST', headers }),
    ]) {
      expectNativeRefusal(refused, { status: 403, code: 'session_not_allowed' });
    }
    const withKey = { ...headers, 'x-api-key': key.apiKey };
    expect((await client.send('/v1/api-keys', { body, headers: withKey })).status).toBe(201);
    expect((await client.send(path, { method: 'POST', headers: withKey })).status).toBe(200);
  });

  it('are not opened by a link that has expired, or whose key was revoked', async () => {
    const key = await keys.makeKey();
    const [link, expired] = [await createLink(key), await createLink(key)];
    await query(
      `UPDATE api_gateway.console_link SET expires_at = now() - interval '1 second'
       WHERE token_hash = sha256($1::bytea)`,
      [Buffer.from(tokenOf(expired))],
    );
    expect((await signIn({ token: tokenOf(expired) })).status).toBe(401);
    await keys.revoke(key);
    expect((await signIn({ token: tokenOf(link) })).status).toBe(401);
    const reader = createHttpClient(await keys.makeKey(['gateway', 'keys:read']));
    expect((await reader.send(LINKS_PATH, { method: 'POST' })).status).toBe(403);
  });

  it('have an audit record with the key as actor, as have their changes', async () => {
    const key = await keys.makeKey();
    const { session, headers } = await open({ key: key.apiKey });
    const second = await open({ token: tokenOf(await createLink(key)) });
    await client.send('/v1/workspace', { method: 'PUT', body: { name: 'made' }, headers });
    await client.send(SESSION_PATH, { method: 'DELETE', headers });
    const rows = await query(
      `SELECT action, subject, actor, detail FROM api_gateway.audit
       WHERE workspace_id = $1 ORDER BY at`,
      [key.workspaceId],
    );
    const { keyId } = key;
    expect(
      rows.map(({ action, subject, actor, detail }) => [action, subject, actor, detail]),
    ).toEqual([
      ['key.created', keyId, 'e2e', null],
      ['console_session.created', session.id, keyId, 'key'],
      ['console_link.created', keyId, keyId, null],
      ['console_session.created', second.session.id, keyId, 'link'],
      ['workspace.changed', key.workspaceId, keyId, 'name'],
      ['console_session.ended', session.id, keyId, null],
    ]);
  });
});
