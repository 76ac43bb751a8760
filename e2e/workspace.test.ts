import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import { Client } from 'pg';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient, PING } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys, CreatedKey } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const WORKSPACE = '/v1/workspace';
const PROVIDERS = '/v1/workspace/providers';
/** API key for the workspace's own provider; it must appear only in requests to that provider. */
const OWN_KEY = 'sk-canary-of-an-own-provider-5b0d';
const PUBLIC_URL = 'https://models.example/v1';

const toTarget = (provider: string, model: string, weight = 0) =>
  weight ? { provider, model, weight } : { provider, model };
const OWN_PROVIDER = { name: 'mine', baseUrl: PUBLIC_URL, apiKey: OWN_KEY };
const toProvider = (overrides: object = {}) => ({ ...OWN_PROVIDER, ...overrides });

type Member = CreatedKey & {
  client: HttpClient;
  put: (path: string, body: object, headers?: Record<string, string>) => Promise<Answer>;
};

describe.each(TRANSPORTS)('a workspace, services over %s', (transport) => {
  let fixture: Fixture;
  let ownProvider: ScriptedProvider;
  let keys: Keys;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    ownProvider = await openScriptedProvider();
    const allowedTarget = `127.0.0.1:${ownProvider.port}`;
    fixture = await openFixture({ transport, env: { WITAN_ALLOW_PRIVATE_TARGETS: allowedTarget } });
    keys = await openKeys(fixture.system);
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    await ownProvider[Symbol.asyncDispose]();
  });

  const createMember = async (scopes?: string[]): Promise<Member> => {
    const key = await keys.makeKey(scopes);
    const client = createHttpClient(key);
    const type = { 'content-type': 'application/json', 'x-api-key': key.apiKey };
    return {
      ...key,
      client,
      put: async (path, body, headers = {}) => {
        const init = { method: 'PUT', body, headers: { ...type, ...headers } };
        const answer = await client.send(path, init);
        expectDocumented(answer, `PUT ${path}`);
        return answer;
      },
    };
  };
  const get = async ({ client }: Member, path: string): Promise<unknown> => {
    const answer = await client.send(path);
    expectDocumented(answer, `GET ${path}`);
    return answer.json;
  };
  const auditOf = async ({ workspaceId }: Member): Promise<unknown[]> => {
    const admin = new Client({ connectionString: fixture.system.databaseUrl });
    await admin.connect();
    try {
      const { rows } = await admin.query<{ action: string; subject: string; actor: string }>(
        `SELECT action, subject, actor FROM api_gateway.audit
         WHERE workspace_id = $1 AND action LIKE 'provider.%' ORDER BY action, subject`,
        [workspaceId],
      );
      return rows.map(({ action, subject, actor }) => [action, subject, actor]);
    } finally {
      await admin.end();
    }
  };

  it('shows its name and no settings at first', async () => {
    const member = await createMember();
    const noTargets = { targets: [] };
    expect(await get(member, WORKSPACE)).toEqual({
      workspace: {
        id: member.workspaceId,
        name: 'e2e',
        createdAt: expect.any(String),
        aliases: {},
        router: { full: noTargets, cheap: noTargets },
        privacy: { categories: expect.any(Array), terms: [], patterns: [] },
        memory: { globalWrites: true },
        responses: { storing: true },
      },
    });
    expect(await get(member, PROVIDERS)).toEqual({
      providers: [],
      operatorProviders: expect.arrayContaining(['openai']),
    });
  });

  it('replaces the given members, each as a whole, and leaves the others', async () => {
    const member = await createMember();
    const fast = {
      targets: [toTarget('openai', 'gpt-fast', 3), toTarget('openai', 'gpt-slow', 1)],
    };
    const full = { targets: [toTarget('openai', 'gpt-full')] };
    await member.put(WORKSPACE, { aliases: { fast, other: full }, router: { full } });
    await member.put(WORKSPACE, { name: 'Renamed' });
    const answer = await member.put(WORKSPACE, { aliases: { fast } });
    expect(answer.json).toMatchObject({ workspace: { name: 'Renamed', aliases: { fast } } });
    const { workspace } = (await get(member, WORKSPACE)) as { workspace: object };
    expect({ workspace }).toEqual(answer.json);
    expect(workspace).toMatchObject({ router: { full, cheap: { targets: [] } } });
    expect(Object.keys((workspace as { aliases: object }).aliases)).toEqual(['fast']);
  });

  it('accepts the body that it returned, and names unknown members', async () => {
    const member = await createMember();
    const returnedBody = (await get(member, WORKSPACE)) as { workspace: object };
    const answer = await member.put(WORKSPACE, returnedBody.workspace);
    expect([answer.json, answer.headers.get('x-service-ignored-fields')]).toEqual([
      returnedBody,
      null,
    ]);
    const bodyWithUnknownMembers = { nickname: 'x', router: { medium: {} } };
    const ignored = await member.put(WORKSPACE, bodyWithUnknownMembers);
    expect([ignored.json, ignored.headers.get('x-service-ignored-fields')]).toEqual([
      returnedBody,
      'nickname, router.medium',
    ]);
    const strictAnswer = await member.put(WORKSPACE, bodyWithUnknownMembers, {
      prefer: 'handling=strict',
    });
    expectNativeRefusal(
      strictAnswer,
      { status: 400, code: 'invalid_request', param: expect.any(String) as unknown as string },
      expect.arrayContaining([
        { path: 'nickname', message: 'is not known here' },
        { path: 'router.medium', message: 'is not known here' },
      ]) as unknown as object[],
    );
  });

  it.each<[string, object, string]>([
    ['an alias without targets', { aliases: { a: { targets: [] } } }, 'aliases.a.targets'],
    ['an empty name', { name: '' }, 'name'],
    [
      'an unknown provider',
      { aliases: { fast: { targets: [toTarget('openai', 'm'), toTarget('his', 'm')] } } },
      'aliases.fast.targets[1].provider',
    ],
    [
      'a reserved name',
      { aliases: { 'service-x': { targets: [toTarget('openai', 'm')] } } },
      'aliases.service-x',
    ],
  ])('refuses %s with its path, and changes nothing', async (_name, change, param) => {
    const member = await createMember();
    const before = await get(member, WORKSPACE);
    const answer = await member.put(WORKSPACE, { name: 'Renamed', ...change });
    expect([answer.status, answer.json]).toEqual([
      400,
      { error: expect.objectContaining({ code: 'invalid_request', param }) },
    ]);
    expect(await get(member, WORKSPACE)).toEqual(before);
  });

  it('is changed only by a key with the scope keys', async () => {
    const reader = await createMember(['gateway:read']);
    await get(reader, WORKSPACE);
    await get(reader, PROVIDERS);
    const missingScopeError = { status: 403, code: 'insufficient_scope', param: 'keys' };
    expectNativeRefusal(await reader.put(WORKSPACE, { name: 'x' }), missingScopeError);
    expectNativeRefusal(await reader.put(PROVIDERS, { providers: [] }), missingScopeError);
    const writer = await createMember(['keys']);
    expect((await writer.put(WORKSPACE, { name: 'x' })).status).toBe(200);
    expect((await writer.client.send(WORKSPACE)).status).toBe(403);
  });

  it('hides the keys of its providers and audits every change', async () => {
    const member = await createMember();
    const put = (...providers: object[]) => member.put(PROVIDERS, { providers });
    const first = await put(toProvider(), { name: 'anthropic', apiKey: OWN_KEY });
    expect(first.json).toMatchObject({
      providers: [
        { name: 'anthropic', dialect: 'messages', baseUrl: 'https://api.anthropic.com' },
        { name: 'mine', dialect: 'chat-completions', baseUrl: PUBLIC_URL, keyPreview: '…5b0d' },
      ],
    });
    expect(await get(member, PROVIDERS)).toEqual(first.json);
    const unchanged = await member.put(PROVIDERS, first.json as object);
    expect([unchanged.json, unchanged.headers.get('x-service-ignored-fields')]).toEqual([
      first.json,
      null,
    ]);
    const movedAnswer = await put(
      toProvider({ apiKey: undefined, baseUrl: 'https://evil.example/v1' }),
    );
    expect(movedAnswer.json).toMatchObject({ error: { param: 'providers[0].apiKey' } });
    await put(toProvider());
    const { keyId } = member;
    expect(await auditOf(member)).toEqual([
      ['provider.changed', 'anthropic', keyId],
      ['provider.changed', 'mine', keyId],
      ['provider.changed', 'mine', keyId],
      ['provider.removed', 'anthropic', keyId],
    ]);
    const texts = [
      first.text,
      unchanged.text,
      movedAnswer.text,
      fixture.system.logLines.join('\n'),
    ];
    expect(texts.join('\n')).not.toContain(OWN_KEY);
    expect(await get(await createMember(), PROVIDERS)).toMatchObject({ providers: [] });
  });

  it.each<[string, string]>([
    ['a loopback address', 'https://127.0.0.1/v1'],
    ['the metadata address of a cloud', 'https://169.254.169.254/v1'],
    ['plain http', 'http://models.example/v1'],
    ['credentials', 'https://user:word@models.example/v1'],
  ])('refuses a provider at %s', async (_name, baseUrl) => {
    const member = await createMember();
    const answer = await member.put(PROVIDERS, { providers: [toProvider({ baseUrl })] });
    const refusal = { status: 400, code: 'blocked_address', param: 'providers[0].baseUrl' };
    expectNativeRefusal(answer, refusal);
    expect(await auditOf(member)).toEqual([]);
  });

  it.each(['models.example/v1', 'not a url'])('refuses the address %s', async (baseUrl) => {
    const member = await createMember();
    const answer = await member.put(PROVIDERS, { providers: [toProvider({ baseUrl })] });
    const refusal = { status: 400, code: 'invalid_request', param: 'providers[0].baseUrl' };
    expectNativeRefusal(answer, refusal);
  });

  it('refuses to remove a provider that a target still names', async () => {
    const member = await createMember();
    await member.put(PROVIDERS, { providers: [toProvider()] });
    await member.put(WORKSPACE, { router: { cheap: { targets: [toTarget('mine', 'm')] } } });
    const answer = await member.put(PROVIDERS, { providers: [] });
    expectNativeRefusal(answer, { status: 400, code: 'invalid_request', param: 'providers' });
    expect(answer.text).toContain('router.cheap.targets[0]');
  });

  it('uses its own provider with its own key immediately', async () => {
    const member = await createMember();
    const sent = { workspace: ownProvider.requests.length, operator: fixture.calls().length };
    await member.put(PROVIDERS, { providers: [toProvider({ baseUrl: ownProvider.baseUrl })] });
    await member.put(WORKSPACE, {
      aliases: { fast: { targets: [toTarget('mine', 'model-of-mine')] } },
    });
    const answer = await member.client.complete({ ...PING, model: 'fast' });
    expect([answer.status, answer.headers.get('x-service-model')]).toEqual([200, 'model-of-mine']);
    const calls = ownProvider.requests
      .slice(sent.workspace)
      .filter(({ method }) => method === 'POST');
    expect(calls).toMatchObject([
      { headers: { authorization: `Bearer ${OWN_KEY}` }, parsed: { model: 'model-of-mine' } },
    ]);
    expect(fixture.calls()).toHaveLength(sent.operator);
    const proof = await member.client.send(`/v1/proofs/${answer.headers.get('x-service-proof')}`);
    expect(proof.json).toMatchObject({
      payload: {
        request: { model: 'fast' },
        egress: { provider: 'mine', model: 'model-of-mine' },
        routing: { reason: 'alias' },
      },
    });
  });
});
