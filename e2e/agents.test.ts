import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

const AGENTS_PATH = '/v1/agents';
const AGENT_PATH = `${AGENTS_PATH}/{id}`;
const SESSIONS_PATH = `${AGENT_PATH}/sessions`;
const SESSION_PATH = `${SESSIONS_PATH}/{sid}`;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const PERSONA = {
  name: 'Chief Financial Officer',
  role: 'CFO',
  systemPrompt: 'You watch the cash.',
  personality: 'dry',
  mission: 'runway',
  decisionStyle: 'numbers first',
  model: 'gpt-test',
};

type Agent = typeof PERSONA & { id: string; slug: string; createdAt: string; updatedAt: string };
type Ids = { id?: string; sid?: string };
type ErrorBody = { error: { code: string; param: string } };

describe.each(TRANSPORTS)('agents, services over %s', (transport) => {
  let api: DocumentedApi;

  beforeAll(async () => {
    api = await openDocumentedApi({ transport });
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
  });

  const createClient: DocumentedApi['createClient'] = (scopes) => api.createClient(scopes);
  const call: DocumentedApi['call'] = (...args) => api.call(...args);
  const agentOf = ({ json }: Answer): Agent => (json as { agent: Agent }).agent;
  const createAgent = async (client: HttpClient, more: object = {}): Promise<Agent> => {
    const answer = await call(client, `POST ${AGENTS_PATH}`, {}, { body: { ...PERSONA, ...more } });
    expect(answer.status).toBe(201);
    return agentOf(answer);
  };
  const createSession = async (
    client: HttpClient,
    id: string,
    body: object = {},
  ): Promise<string> => {
    const answer = await call(client, `POST ${SESSIONS_PATH}`, { id }, { body });
    expect(answer.status).toBe(201);
    return (answer.json as { session: { id: string } }).session.id;
  };

  it('are created with a unique slug, shown, and listed newest first', async () => {
    const client = await createClient();
    const created = await createAgent(client);
    expect(created).toEqual({
      ...PERSONA,
      id: expect.stringMatching(/^agt_/),
      slug: 'chief-financial-officer',
      createdAt: expect.stringMatching(INSTANT),
      updatedAt: expect.stringMatching(INSTANT),
    });
    const body = { name: 'Ünal', systemPrompt: 'Ask why.', role: null };
    const minimalAgent = agentOf(await call(client, `POST ${AGENTS_PATH}`, {}, { body }));
    expect(minimalAgent).toMatchObject({ slug: 'unal', role: '', personality: '', model: '' });
    expect(agentOf(await call(client, `GET ${AGENT_PATH}`, created))).toEqual(created);
    const list = await call(client, `GET ${AGENTS_PATH}`);
    expect(list.json).toEqual({ agents: [minimalAgent, created] });
    const page = await client.send(`${AGENTS_PATH}?limit=1`);
    expect(page.json).toEqual({ agents: [minimalAgent], nextCursor: minimalAgent.id });
    const next = await client.send(`${AGENTS_PATH}?limit=1&cursor=${minimalAgent.id}`);
    expect(next.json).toEqual({ agents: [created] });
  });

  it.each([
    ['a blank name', { name: ' ' }, 'name'],
    ['a name without a letter', { name: '!!!' }, 'name'],
    ['a name that is too long', { name: 'a'.repeat(121) }, 'name'],
    ['an empty prompt', { systemPrompt: '' }, 'systemPrompt'],
    ['a prompt that is too long', { systemPrompt: 'a'.repeat(32_001) }, 'systemPrompt'],
    ['a role with NUL', { role: 'a\0' }, 'role'],
    ['a name with a lone surrogate', { name: 'a\ud800' }, 'name'],
    ['a prompt with a lone surrogate', { systemPrompt: 'a\udc00' }, 'systemPrompt'],
    ['a mission that is a number', { mission: 7 }, 'mission'],
  ])('refuse %s on create and update', async (_name, invalidFields, param) => {
    const client = await createClient();
    const { id } = await createAgent(client);
    const body = { ...PERSONA, name: 'Other', ...invalidFields };
    const created = await call(client, `POST ${AGENTS_PATH}`, {}, { body });
    const updated = await call(client, `PATCH ${AGENT_PATH}`, { id }, { body: invalidFields });
    for (const answer of [created, updated]) {
      const { error } = answer.json as ErrorBody;
      expect([answer.status, error.code, error.param]).toEqual([400, 'invalid_request', param]);
    }
  });

  it('change only the given members, and accept the body that GET returned', async () => {
    const client = await createClient();
    const created = await createAgent(client);
    const updateAgent = async (body: object): Promise<Answer> =>
      call(client, `PATCH ${AGENT_PATH}`, created, { body });
    const renamedAgent = agentOf(await updateAgent({ name: 'Treasurer', role: null }));
    expect(renamedAgent).toEqual({
      ...created,
      name: 'Treasurer',
      slug: 'treasurer',
      role: '',
      updatedAt: expect.stringMatching(INSTANT),
    });
    expect(renamedAgent.updatedAt >= created.updatedAt).toBe(true);
    const answer = await updateAgent({ ...renamedAgent, mission: 'growth' });
    expect(answer.headers.has('x-service-ignored-fields')).toBe(false);
    expect(agentOf(answer)).toMatchObject({ slug: 'treasurer', mission: 'growth', id: created.id });
  });

  it('have a slug that is unique in the workspace', async () => {
    const client = await createClient();
    await createAgent(client);
    const otherAgent = await createAgent(client, { name: 'Other' });
    const slugTaken = { status: 409, code: 'slug_taken', param: 'name' };
    const body = { ...PERSONA, name: 'chief financial  OFFICER!' };
    expectNativeRefusal(await call(client, `POST ${AGENTS_PATH}`, {}, { body }), slugTaken);
    const renameOptions = { body: { name: PERSONA.name } };
    expectNativeRefusal(
      await call(client, `PATCH ${AGENT_PATH}`, otherAgent, renameOptions),
      slugTaken,
    );
    expect((await createAgent(await createClient())).slug).toBe('chief-financial-officer');
  });

  it('are created once for all calls with one Idempotency-Key', async () => {
    const key = await api.keys.makeKey();
    const client = createHttpClient(key);
    const headers = { 'x-api-key': key.apiKey, 'idempotency-key': 'once' };
    const send = (): Promise<Answer> => client.send(AGENTS_PATH, { headers, body: PERSONA });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.json]).toEqual([201, first.json]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  it('have sessions that are listed by activity, read and deleted', async () => {
    const client = await createClient();
    const { id } = await createAgent(client);
    const answer = await call(client, `POST ${SESSIONS_PATH}`, { id });
    const { session } = answer.json as { session: { id: string } };
    const expectedSession = {
      id: expect.stringMatching(/^ses_/),
      createdAt: expect.stringMatching(INSTANT),
    };
    const title = `Chat with ${PERSONA.name}`;
    expect([answer.status, session]).toEqual([201, { ...expectedSession, title }]);
    const second = await createSession(client, id, { title: 'Board' });
    const noMessages = { _count: { messages: 0 } };
    const list = await call(client, `GET ${SESSIONS_PATH}`, { id });
    expect(list.json).toEqual({
      sessions: [
        { ...expectedSession, ...noMessages, id: second, title: 'Board' },
        { ...session, ...noMessages },
      ],
    });
    const sessionsUrl = `${AGENTS_PATH}/${id}/sessions?limit=1`;
    expect((await client.send(sessionsUrl)).json).toMatchObject({ nextCursor: second });
    const next = await client.send(`${sessionsUrl}&cursor=${second}`);
    expect(next.json).toEqual({ sessions: [{ ...session, ...noMessages }] });
    const shownSession = await call(client, `GET ${SESSION_PATH}`, { id, sid: session.id });
    expect(shownSession.json).toEqual({ session: { ...session, messages: [] } });
    expect((await call(client, `DELETE ${SESSION_PATH}`, { id, sid: session.id })).status).toBe(
      204,
    );
    const deletedAnswer = await call(client, `GET ${SESSION_PATH}`, { id, sid: session.id });
    expectNativeRefusal(deletedAnswer, { status: 404, code: 'not_found', param: 'sessionId' });
  });

  it('are invisible to other workspaces with their sessions, and gone after deletion', async () => {
    const owner = await createClient();
    const stranger = await createClient();
    const { id } = await createAgent(owner);
    const { id: siblingId } = await createAgent(owner, { name: 'Sibling' });
    const sid = await createSession(owner, id);
    const expectNotFound = async (
      client: HttpClient,
      operations: string[],
      ids: Ids,
    ): Promise<void> => {
      for (const operation of operations) {
        const options = /^P/.test(operation) ? { body: { message: 'Hi' } } : {};
        const answer = await call(client, operation, ids, options);
        const { error } = answer.json as ErrorBody;
        expect([operation, answer.status, error.code]).toEqual([operation, 404, 'not_found']);
      }
    };
    const sessionOperations = [`GET ${SESSION_PATH}`, `DELETE ${SESSION_PATH}`];
    const allOperations = [
      `GET ${AGENT_PATH}`,
      `PATCH ${AGENT_PATH}`,
      `DELETE ${AGENT_PATH}`,
      `GET ${SESSIONS_PATH}`,
      `POST ${SESSIONS_PATH}`,
      `POST ${AGENT_PATH}/chat`,
      ...sessionOperations,
    ];
    await expectNotFound(stranger, allOperations, { id, sid });
    await expectNotFound(owner, allOperations, { id: 'agt_%00', sid });
    await expectNotFound(owner, sessionOperations, { id: siblingId, sid });
    await expectNotFound(owner, sessionOperations, { id, sid: 'ses_%00' });
    expect((await call(owner, `GET ${SESSION_PATH}`, { id, sid })).status).toBe(200);
    expect((await call(owner, `DELETE ${AGENT_PATH}`, { id })).status).toBe(204);
    await expectNotFound(owner, allOperations, { id, sid });
    expect((await createAgent(owner)).slug).toBe('chief-financial-officer');
  });

  it('require the scope agents, and agents:read for reads', async () => {
    const reader = await createClient(['agents:read']);
    const writer = await createClient(['agents']);
    const otherClient = await createClient(['ai', 'gateway']);
    expect((await call(reader, `GET ${AGENTS_PATH}`)).status).toBe(200);
    expect((await call(otherClient, `GET ${AGENTS_PATH}`)).status).toBe(403);
    const options = { body: PERSONA };
    expect((await call(reader, `POST ${AGENTS_PATH}`, {}, options)).status).toBe(403);
    const chatOptions = { body: { message: 'Hi' } };
    expect(
      (await call(reader, `POST ${AGENT_PATH}/chat`, { id: 'agt_1' }, chatOptions)).status,
    ).toBe(403);
    await createAgent(writer);
  });

  it('refuse unsupported methods', async () => {
    const answer = await api.fixture.client.send(`${AGENTS_PATH}/agt_1`, {
      method: 'PUT',
      body: {},
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, PATCH, DELETE']);
  });
});
