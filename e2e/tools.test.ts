import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openReceiver } from '@witan/testing';
import type { Receiver } from '@witan/testing';
import { Client } from 'pg';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

const TOOLS = '/v1/tools';
const ITEM_PATH = `${TOOLS}/{id}`;
const AGENT_TOOLS = '/v1/agents/{id}/tools';
const SECRET = /^tlsec_[A-Za-z0-9+/]{43}=$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** The API must return the members of this schema in the same order. */
const PARAMETERS = {
  type: 'object',
  required: ['city'],
  properties: { city: { type: 'string' }, day: { type: 'integer', minimum: 0 } },
};
const DRAFT = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: PARAMETERS,
  url: 'https://tools.invalid/weather',
};

type Tool = typeof DRAFT & { id: string; isActive: boolean; createdAt: string; agents?: object[] };
type CreatedTool = { tool: Tool; secret: string };

describe.each(TRANSPORTS)('tools, services over %s', (transport) => {
  let api: DocumentedApi;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await openReceiver();
    api = await openDocumentedApi({ transport, env: { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } });
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const createClient: DocumentedApi['createClient'] = (scopes) => api.createClient(scopes);
  const call: DocumentedApi['call'] = (...asked) => api.call(...asked);
  const make = async (client: HttpClient, overrides: object = {}): Promise<CreatedTool> => {
    const answer = await call(client, `POST ${TOOLS}`, {}, { body: { ...DRAFT, ...overrides } });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    return answer.json as CreatedTool;
  };
  const makeAgent = async (client: HttpClient, name = 'Ann'): Promise<string> => {
    const { json } = await client.send('/v1/agents', { body: { name, systemPrompt: 'x' } });
    return (json as { agent: { id: string } }).agent.id;
  };
  const toolOf = ({ json }: Answer): Tool => (json as { tool: Tool }).tool;
  const namesOf = ({ json }: Answer) => (json as { tools: Tool[] }).tools.map(({ name }) => name);

  it('are created with a secret that is shown once, and read without it', async () => {
    const client = await createClient();
    const { tool, secret } = await make(client);
    expect(tool).toEqual({
      ...DRAFT,
      id: expect.stringMatching(/^tol_/),
      isActive: true,
      createdAt: expect.stringMatching(INSTANT),
    });
    expect(JSON.stringify(tool.parameters)).toBe(JSON.stringify(PARAMETERS));
    expect(secret).toMatch(SECRET);
    const second = (await make(client, { name: 'other' })).tool;
    const list = await call(client, `GET ${TOOLS}`);
    expect(list.json).toEqual({ tools: [second, tool] });
    const one = await call(client, `GET ${ITEM_PATH}`, tool);
    expect(one.json).toEqual({ tool: { ...tool, agents: [] } });
    expect(list.text + one.text).not.toContain(secret.slice(6));
    const page = await client.send(`${TOOLS}?limit=1`);
    expect(page.json).toMatchObject({ tools: [{ id: second.id }], nextCursor: second.id });
    const next = await client.send(`${TOOLS}?limit=1&cursor=${second.id}`);
    expect(next.json).toEqual({ tools: [tool] });
  });

  it.each<[string, object, string, string]>([
    ['an invalid name', { name: 'get weather' }, 'invalid_request', 'name'],
    ['no description', { description: ' ' }, 'invalid_request', 'description'],
    ['parameters as a string', { parameters: '{}' }, 'invalid_request', 'parameters'],
    ['parameters without a type', { parameters: {} }, 'invalid_request', 'parameters.type'],
    [
      'a misspelt keyword',
      { parameters: { type: 'object', properties: { a: { typ: 'string' } } } },
      'invalid_request',
      'parameters.properties.a.typ',
    ],
    [
      'an unknown type',
      { parameters: { type: 'object', properties: { a: { type: 'text' } } } },
      'invalid_request',
      'parameters.properties.a.type',
    ],
    [
      'a remote $ref',
      { parameters: { type: 'object', properties: { a: { $ref: 'https://a.example/s' } } } },
      'invalid_request',
      'parameters.properties.a.$ref',
    ],
    ['a private address', { url: 'https://10.0.0.8/in' }, 'blocked_address', 'url'],
    ['plain http', { url: 'http://example.com/in' }, 'blocked_address', 'url'],
    ['a URL without a scheme', { url: 'example.com' }, 'invalid_request', 'url'],
    ['text that is not a URL', { url: 'not a url' }, 'invalid_request', 'url'],
  ])('refuse %s on create and update', async (_name, bad, code, param) => {
    const client = await createClient();
    const { tool } = await make(client);
    const body = { ...DRAFT, name: 'another', ...bad };
    const created = await call(client, `POST ${TOOLS}`, {}, { body });
    const updated = await call(client, `PATCH ${ITEM_PATH}`, tool, { body: bad });
    for (const answer of [created, updated]) {
      const { error } = answer.json as { error: { code: string; param: string } };
      expect([answer.status, error.code, error.param]).toEqual([400, code, param]);
      expect(answer.text).not.toContain('10.0.0.8');
    }
  });

  it('refuse a taken name, and unknown agents', async () => {
    const client = await createClient();
    await make(client);
    const refusedAnswer = await call(client, `POST ${TOOLS}`, {}, { body: DRAFT });
    expectNativeRefusal(refusedAnswer, { status: 409, code: 'name_taken', param: 'name' });
    const foreign = await makeAgent(await createClient());
    const body = { ...DRAFT, name: 'linked', agentIds: [foreign] };
    const unknown = await call(client, `POST ${TOOLS}`, {}, { body });
    const refusal = { status: 400, code: 'invalid_request', param: 'agentIds' };
    expectNativeRefusal(unknown, refusal);
    expect(unknown.text).toContain(foreign);
  });

  it.each(['PATCH', 'PUT'])(
    'change the members that %s contains, and accept the body that GET returned',
    async (method) => {
      const client = await createClient();
      const { tool } = await make(client);
      const change = (body: object): Promise<Answer> =>
        call(client, `${method} ${ITEM_PATH}`, tool, { body });
      const inactiveTool = toolOf(await change({ isActive: false }));
      expect(inactiveTool).toEqual({ ...tool, isActive: false, agents: [] });
      const answer = await change({ ...inactiveTool, isActive: true, description: 'Another' });
      expect(answer.headers.has('x-service-ignored-fields')).toBe(false);
      expect(toolOf(answer)).toEqual({ ...tool, agents: [], description: 'Another' });
    },
  );

  it('are linked to agents and unlinked, repeatedly without error', async () => {
    const client = await createClient();
    const [ann, bob] = [await makeAgent(client), await makeAgent(client, 'Bob')];
    const { tool } = await make(client, { agentIds: [bob] });
    const toolId = tool.id;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const linked = await call(client, `POST ${AGENT_TOOLS}`, { id: ann }, { body: { toolId } });
      expect([linked.status, linked.json]).toEqual([200, { agentId: ann, toolId }]);
    }
    const agents = [
      { id: ann, name: 'Ann' },
      { id: bob, name: 'Bob' },
    ];
    expect(toolOf(await call(client, `GET ${ITEM_PATH}`, tool)).agents).toEqual(agents);
    expect((await call(client, `GET ${AGENT_TOOLS}`, { id: ann })).json).toEqual({ tools: [tool] });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const unlinked = await call(client, `DELETE ${AGENT_TOOLS}/{toolId}`, { id: ann, toolId });
      expect(unlinked.status).toBe(204);
    }
    expect(namesOf(await call(client, `GET ${AGENT_TOOLS}`, { id: ann }))).toEqual([]);
    expect(namesOf(await call(client, `GET ${AGENT_TOOLS}`, { id: bob }))).toEqual([DRAFT.name]);
    const unknownTool = { toolId: 'tol_0' };
    const missing = await call(client, `POST ${AGENT_TOOLS}`, { id: ann }, { body: unknownTool });
    expectNativeRefusal(missing, { status: 404, code: 'not_found', param: 'toolId' });
    await call(client, `DELETE ${ITEM_PATH}`, tool);
    expect(namesOf(await call(client, `GET ${AGENT_TOOLS}`, { id: bob }))).toEqual([]);
  });

  it('are tested with one signed call, also if they are inactive', async () => {
    const client = await createClient();
    const { tool, secret } = await make(client, { url: receiver.urlOf(`/${transport}/good`) });
    receiver.respond(`/${transport}/good`, (requestIndex, response) => {
      response.writeHead(requestIndex === 0 ? 200 : 503).end('{"sky":"clear"}');
      return 'wait';
    });
    await call(client, `PATCH ${ITEM_PATH}`, tool, { body: { isActive: false } });
    const body = '{"arguments":{"city":"Köln","ref":12345678901234567890}}';
    const tested = await call(client, `POST ${ITEM_PATH}/test`, tool, { body });
    const durationMs = expect.any(Number);
    expect([tested.status, tested.json]).toEqual([
      200,
      {
        success: true,
        status: 'ok',
        httpStatus: 200,
        durationMs,
        result: { sky: 'clear' },
        error: null,
      },
    ]);
    const [request] = receiver.requestsOf(`/${transport}/good`);
    const signature = createHmac('sha256', secret).update(request!.body).digest('hex');
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-tool': DRAFT.name,
      'x-service-signature': `sha256=${signature}`,
      'user-agent': 'Service-Tools/1.0',
    });
    expect(request!.body.toString()).toBe(`{"tool":"${DRAFT.name}",${body.slice(1)}`);
    const failed = await call(client, `POST ${ITEM_PATH}/test`, tool, { body });
    const error = 'The tool answered with HTTP status 503.';
    expect(failed.json).toEqual({
      success: false,
      status: 'error',
      httpStatus: 503,
      durationMs,
      result: null,
      error,
    });
    const invalidCall = await call(client, `POST ${ITEM_PATH}/test`, tool);
    expect(invalidCall.json).toMatchObject({
      success: false,
      httpStatus: null,
      error: expect.stringContaining('city is required'),
    });
    expect(receiver.requestsOf(`/${transport}/good`)).toHaveLength(2);
  });

  it('rotate their secrets, and audit creation, rotation and deletion', async () => {
    const key = await api.keys.makeKey();
    const client = createHttpClient(key);
    const { tool, secret } = await make(client);
    const rotated = await call(client, `POST ${ITEM_PATH}/rotate-secret`, tool);
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    expect(rotated.json).toEqual({ tool, secret: expect.stringMatching(SECRET) });
    expect((rotated.json as CreatedTool).secret).not.toBe(secret);
    for (const one of [secret, (rotated.json as CreatedTool).secret]) {
      expect(api.fixture.system.logLines.filter((text) => text.includes(one))).toEqual([]);
    }
    expect((await call(client, `DELETE ${ITEM_PATH}`, tool)).status).toBe(204);
    const admin = new Client({ connectionString: api.fixture.system.databaseUrl });
    await admin.connect();
    const { rows } = await admin.query(
      `SELECT action, actor FROM api_gateway.audit WHERE subject = $1 ORDER BY at`,
      [tool.id],
    );
    await admin.end();
    const actor = key.keyId;
    expect(rows).toEqual([
      { action: 'tool.created', actor },
      { action: 'tool.rotated', actor },
      { action: 'tool.deleted', actor },
    ]);
  });

  it('are created once for one Idempotency-Key, with the same secret in each response', async () => {
    const key = await api.keys.makeKey();
    const client = createHttpClient(key);
    const headers = { 'idempotency-key': 'once', 'x-api-key': key.apiKey };
    const first = await call(client, `POST ${TOOLS}`, {}, { body: DRAFT, headers });
    const again = await call(client, `POST ${TOOLS}`, {}, { body: DRAFT, headers });
    expect(again.json).toEqual(first.json);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(namesOf(await call(client, `GET ${TOOLS}`))).toEqual([DRAFT.name]);
  });

  it('are invisible to other workspaces, and gone after deletion', async () => {
    const owner = await createClient();
    const stranger = await createClient();
    const { tool } = await make(owner);
    const agent = await makeAgent(owner);
    const strangersAgent = await makeAgent(stranger);
    const operations = [
      `GET ${ITEM_PATH}`,
      `PATCH ${ITEM_PATH}`,
      `PUT ${ITEM_PATH}`,
      `DELETE ${ITEM_PATH}`,
      `POST ${ITEM_PATH}/test`,
      `POST ${ITEM_PATH}/rotate-secret`,
    ];
    const expectNotFound = async (client: HttpClient, id: string): Promise<void> => {
      for (const operation of operations) {
        const body = /^P[AU]T/.test(operation) ? { body: { isActive: false } } : {};
        const answer = await call(client, operation, { id }, body);
        expectNativeRefusal(answer, { status: 404, code: 'not_found' });
      }
    };
    await expectNotFound(stranger, tool.id);
    await expectNotFound(owner, 'tol_%00');
    const links: [string, string][] = [
      [agent, tool.id],
      [strangersAgent, tool.id],
    ];
    for (const [id, toolId] of links) {
      const linked = await call(stranger, `POST ${AGENT_TOOLS}`, { id }, { body: { toolId } });
      const unlinked = await call(stranger, `DELETE ${AGENT_TOOLS}/{toolId}`, { id, toolId });
      expect([linked.status, unlinked.status]).toEqual([404, 404]);
    }
    expect((await call(stranger, `GET ${AGENT_TOOLS}`, { id: agent })).status).toBe(404);
    expect(toolOf(await call(owner, `GET ${ITEM_PATH}`, tool))).toMatchObject({ isActive: true });
    await call(owner, `DELETE ${ITEM_PATH}`, tool);
    await expectNotFound(owner, tool.id);
  });

  it('require the scope tools, and tools:read for reads, including links', async () => {
    const reader = await createClient(['tools:read']);
    const writer = await createClient(['tools', 'agents']);
    const other = await createClient(['agents']);
    expect((await call(reader, `GET ${TOOLS}`)).status).toBe(200);
    expect((await call(other, `GET ${TOOLS}`)).status).toBe(403);
    expect((await call(reader, `POST ${TOOLS}`, {}, { body: DRAFT })).status).toBe(403);
    const { tool } = await make(writer);
    const writersAgent = await makeAgent(writer);
    const link = { body: { toolId: tool.id } };
    expect((await call(writer, `POST ${AGENT_TOOLS}`, { id: writersAgent }, link)).status).toBe(
      200,
    );
    const othersAgent = await makeAgent(other);
    expect((await call(other, `POST ${AGENT_TOOLS}`, { id: othersAgent }, link)).status).toBe(403);
    expect((await call(other, `GET ${AGENT_TOOLS}`, { id: othersAgent })).status).toBe(403);
  });
});
