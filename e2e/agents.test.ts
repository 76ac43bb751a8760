import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

const AGENTS = '/v1/agents';
const ONE = `${AGENTS}/{id}`;
const SESSIONS = `${ONE}/sessions`;
const SESSION = `${SESSIONS}/{sid}`;
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
type Refused = { error: { code: string; param: string } };

describe.each(TRANSPORTS)('agents, services over %s', (transport) => {
  let api: DocumentedApi;

  beforeAll(async () => {
    api = await openDocumentedApi({ transport });
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
  });

  const join: DocumentedApi['createClient'] = (scopes) => api.createClient(scopes);
  const call: DocumentedApi['call'] = (...asked) => api.call(...asked);
  const agentOf = ({ json }: Answer): Agent => (json as { agent: Agent }).agent;
  const make = async (client: HttpClient, more: object = {}): Promise<Agent> => {
    const answer = await call(client, `POST ${AGENTS}`, {}, { body: { ...PERSONA, ...more } });
    expect(answer.status).toBe(201);
    return agentOf(answer);
  };
  const begin = async (client: HttpClient, id: string, body: object = {}): Promise<string> => {
    const answer = await call(client, `POST ${SESSIONS}`, { id }, { body });
    expect(answer.status).toBe(201);
    return (answer.json as { session: { id: string } }).session.id;
  };

  it('are created with a unique slug, shown, and listed newest first', async () => {
    const client = await join();
    const made = await make(client);
    expect(made).toEqual({
      ...PERSONA,
      id: expect.stringMatching(/^agt_/),
      slug: 'chief-financial-officer',
      createdAt: expect.stringMatching(INSTANT),
      updatedAt: expect.stringMatching(INSTANT),
    });
    const body = { name: 'Ünal', systemPrompt: 'Ask why.', role: null };
    const bare = agentOf(await call(client, `POST ${AGENTS}`, {}, { body }));
    expect(bare).toMatchObject({ slug: 'unal', role: '', personality: '', model: '' });
    expect(agentOf(await call(client, `GET ${ONE}`, made))).toEqual(made);
    const list = await call(client, `GET ${AGENTS}`);
    expect(list.json).toEqual({ agents: [bare, made] });
    const page = await client.send(`${AGENTS}?limit=1`);
    expect(page.json).toEqual({ agents: [bare], nextCursor: bare.id });
    const next = await client.send(`${AGENTS}?limit=1&cursor=${bare.id}`);
    expect(next.json).toEqual({ agents: [made] });
  });

  it.each([
    ['a blank name', { name: ' ' }, 'name'],
    ['a name without a letter', { name: '!!!' }, 'name'],
    ['a name that is too long', { name: 'a'.repeat(121) }, 'name'],
    ['an empty prompt', { systemPrompt: '' }, 'systemPrompt'],
    ['a prompt that is too long', { systemPrompt: 'a'.repeat(32_001) }, 'systemPrompt'],
    ['a role with NUL', { role: 'a\0' }, 'role'],
    ['a name with half a character', { name: 'a\ud800' }, 'name'],
    ['a prompt with half a character', { systemPrompt: 'a\udc00' }, 'systemPrompt'],
    ['a mission that is a number', { mission: 7 }, 'mission'],
  ])('refuse %s on create and update', async (_name, bad, param) => {
    const client = await join();
    const { id } = await make(client);
    const body = { ...PERSONA, name: 'Other', ...bad };
    const made = await call(client, `POST ${AGENTS}`, {}, { body });
    const changed = await call(client, `PATCH ${ONE}`, { id }, { body: bad });
    for (const answer of [made, changed]) {
      const { error } = answer.json as Refused;
      expect([answer.status, error.code, error.param]).toEqual([400, 'invalid_request', param]);
    }
  });

  it('change only the given members, and accept the body that GET returned', async () => {
    const client = await join();
    const made = await make(client);
    const change = async (body: object): Promise<Answer> =>
      call(client, `PATCH ${ONE}`, made, { body });
    const renamed = agentOf(await change({ name: 'Treasurer', role: null }));
    expect(renamed).toEqual({
      ...made,
      name: 'Treasurer',
      slug: 'treasurer',
      role: '',
      updatedAt: expect.stringMatching(INSTANT),
    });
    expect(renamed.updatedAt >= made.updatedAt).toBe(true);
    const back = await change({ ...renamed, mission: 'growth' });
    expect(back.headers.has('x-service-ignored-fields')).toBe(false);
    expect(agentOf(back)).toMatchObject({ slug: 'treasurer', mission: 'growth', id: made.id });
  });

  it('have a slug that is unique in the workspace', async () => {
    const client = await join();
    await make(client);
    const other = await make(client, { name: 'Other' });
    const taken = { status: 409, code: 'slug_taken', param: 'name' };
    const body = { ...PERSONA, name: 'chief financial  OFFICER!' };
    expectNativeRefusal(await call(client, `POST ${AGENTS}`, {}, { body }), taken);
    const change = { body: { name: PERSONA.name } };
    expectNativeRefusal(await call(client, `PATCH ${ONE}`, other, change), taken);
    expect((await make(await join())).slug).toBe('chief-financial-officer');
  });

  it('are created once for all calls with one Idempotency-Key', async () => {
    const key = await api.keys.makeKey();
    const client = createHttpClient(key);
    const headers = { 'x-api-key': key.apiKey, 'idempotency-key': 'once' };
    const send = (): Promise<Answer> => client.send(AGENTS, { headers, body: PERSONA });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.json]).toEqual([201, first.json]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  it('have sessions that are listed by activity, read and deleted', async () => {
    const client = await join();
    const { id } = await make(client);
    const answer = await call(client, `POST ${SESSIONS}`, { id });
    const { session } = answer.json as { session: { id: string } };
    const shown = { id: expect.stringMatching(/^ses_/), createdAt: expect.stringMatching(INSTANT) };
    const title = `Chat with ${PERSONA.name}`;
    expect([answer.status, session]).toEqual([201, { ...shown, title }]);
    const second = await begin(client, id, { title: 'Board' });
    const none = { _count: { messages: 0 } };
    const list = await call(client, `GET ${SESSIONS}`, { id });
    expect(list.json).toEqual({
      sessions: [
        { ...shown, ...none, id: second, title: 'Board' },
        { ...session, ...none },
      ],
    });
    const index = `${AGENTS}/${id}/sessions?limit=1`;
    expect((await client.send(index)).json).toMatchObject({ nextCursor: second });
    const next = await client.send(`${index}&cursor=${second}`);
    expect(next.json).toEqual({ sessions: [{ ...session, ...none }] });
    const one = await call(client, `GET ${SESSION}`, { id, sid: session.id });
    expect(one.json).toEqual({ session: { ...session, messages: [] } });
    expect((await call(client, `DELETE ${SESSION}`, { id, sid: session.id })).status).toBe(204);
    const gone = await call(client, `GET ${SESSION}`, { id, sid: session.id });
    expectNativeRefusal(gone, { status: 404, code: 'not_found', param: 'sessionId' });
  });

  it('are invisible to other workspaces with their sessions, and gone after deletion', async () => {
    const owner = await join();
    const stranger = await join();
    const { id } = await make(owner);
    const { id: sibling } = await make(owner, { name: 'Sibling' });
    const sid = await begin(owner, id);
    const refuse = async (client: HttpClient, operations: string[], ids: Ids): Promise<void> => {
      for (const operation of operations) {
        const body = /^P/.test(operation) ? { body: { message: 'Hi' } } : {};
        const answer = await call(client, operation, ids, body);
        const { error } = answer.json as Refused;
        expect([operation, answer.status, error.code]).toEqual([operation, 404, 'not_found']);
      }
    };
    const ofSession = [`GET ${SESSION}`, `DELETE ${SESSION}`];
    const all = [
      `GET ${ONE}`,
      `PATCH ${ONE}`,
      `DELETE ${ONE}`,
      `GET ${SESSIONS}`,
      `POST ${SESSIONS}`,
      `POST ${ONE}/chat`,
      ...ofSession,
    ];
    await refuse(stranger, all, { id, sid });
    await refuse(owner, all, { id: 'agt_%00', sid });
    await refuse(owner, ofSession, { id: sibling, sid });
    await refuse(owner, ofSession, { id, sid: 'ses_%00' });
    expect((await call(owner, `GET ${SESSION}`, { id, sid })).status).toBe(200);
    expect((await call(owner, `DELETE ${ONE}`, { id })).status).toBe(204);
    await refuse(owner, all, { id, sid });
    expect((await make(owner)).slug).toBe('chief-financial-officer');
  });

  it('require the scope agents, and agents:read for reads', async () => {
    const reader = await join(['agents:read']);
    const writer = await join(['agents']);
    const other = await join(['ai', 'gateway']);
    expect((await call(reader, `GET ${AGENTS}`)).status).toBe(200);
    expect((await call(other, `GET ${AGENTS}`)).status).toBe(403);
    const body = { body: PERSONA };
    expect((await call(reader, `POST ${AGENTS}`, {}, body)).status).toBe(403);
    const chat = { body: { message: 'Hi' } };
    expect((await call(reader, `POST ${ONE}/chat`, { id: 'agt_1' }, chat)).status).toBe(403);
    await make(writer);
  });

  it('refuse unsupported methods', async () => {
    const answer = await api.fixture.client.send(`${AGENTS}/agt_1`, { method: 'PUT', body: {} });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, PATCH, DELETE']);
  });
});
