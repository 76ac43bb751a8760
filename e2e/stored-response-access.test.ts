import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, neverAnswer } from '@witan/testing';
import { createKey, openStorage } from '@witan/api-gateway';
import { createLog } from '@witan/service-kit';
import { createHttpClient, RESPONSES } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const SECRET = 'We sell the ferry line in May.';
/** A model of the messages provider, whose responses the gateway stores itself. */
const BODY = { model: 'claude-test', input: 'What do we plan?' };

type Stored = { id: string; proofId: string };
type Failure = { error: { code: string; param: string } };

// The api-gateway stores responses, so the transport between services makes no difference.
describe('stored responses', () => {
  let fixture: Fixture;
  let owner: HttpClient;
  let bearers: Record<string, HttpClient>;

  beforeAll(async () => {
    fixture = await openFixture({
      transport: 'in-process',
      env: { WITAN_MODEL_FULL: 'gpt-test', OPENAI_DIALECTS: 'chat-completions,responses' },
    });
    owner = fixture.client;
    const agent = { name: 'Strategy', systemPrompt: 'You plan.' };
    expect((await owner.send('/v1/agents', { body: agent })).status).toBe(201);
    const scopes = ['gateway:read', 'gateway', 'gateway agents:read', 'gateway knowledge:read'];
    const clients = scopes.map(
      async (text) => [text, await createClient(text.split(' '))] as const,
    );
    bearers = Object.fromEntries(await Promise.all(clients));
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const createClient = async (scopes: string[]): Promise<HttpClient> => {
    const { baseUrl, workspaceId, userId, databaseUrls } = fixture.system;
    const log = createLog({ service: 'e2e', level: 'silent' });
    const storage = await openStorage(databaseUrls['api-gateway']!, log);
    const input = { workspaceId, userId, name: scopes.join(), scopes, actor: 'e2e' };
    const { key } = await createKey(storage, input);
    await storage[Symbol.asyncDispose]();
    return createHttpClient({ baseUrl, apiKey: key });
  };
  const create = async (body: object = BODY): Promise<Stored> => {
    const answer = await owner.send(RESPONSES, { body });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"store":true')]);
    const { id } = answer.json as { id: string };
    return { id, proofId: answer.headers.get('x-service-proof')! };
  };
  const pathsOf = (id: string): string[] => [
    `${RESPONSES}/${id}`,
    `${RESPONSES}/${id}/input_items`,
  ];
  const missingScopeOf = ({ status, json }: Answer): [number, string | undefined] => [
    status,
    (json as Partial<Failure>).error?.param,
  ];
  const setStoring = async (responses: object): Promise<void> => {
    const { status } = await owner.send('/v1/workspace', { method: 'PUT', body: { responses } });
    expect(status).toBe(200);
  };

  it('are not read, continued or deleted with the scope of certificates', async () => {
    const { id, proofId } = await create({ ...BODY, input: SECRET });
    const auditor = bearers['gateway:read']!;
    expect((await auditor.send(`/v1/proofs/${proofId}`)).status).toBe(200);
    for (const path of pathsOf(id)) {
      const answer = await auditor.send(path);
      expect(missingScopeOf(answer)).toEqual([403, 'gateway']);
      expect(answer.text).not.toContain('ferry');
      expect((await bearers.gateway!.send(path)).status).toBe(200);
    }
    expect((await auditor.send(pathsOf(id)[0]!, { method: 'DELETE' })).status).toBe(403);
  });

  it('have ids that do not follow from those of certificates', async () => {
    for (const members of [{}, { stream: true }, { background: true }]) {
      const answer = await owner.send(RESPONSES, { body: { ...BODY, ...members } });
      const derived = answer.headers.get('x-service-proof')!.replace('pf_', 'resp_');
      expect(answer.text).toMatch(/"id":"resp_[0-9A-Za-z]{22}"/);
      expect(answer.text).not.toContain(derived);
      expect((await owner.send(`${RESPONSES}/${derived}`)).status).toBe(404);
    }
  });

  it.each([
    ['agent:strategy', 'agents', 'gateway agents:read', 'gateway knowledge:read'],
    ['claude-test+knowledge', 'knowledge', 'gateway knowledge:read', 'gateway agents:read'],
  ])('of %s need the scope %s again, also when continued', async (model, param, ok, lacking) => {
    const { id } = await create({ model, input: 'What do we plan?' });
    const continued = await create({ ...BODY, previous_response_id: id });
    for (const each of [id, continued.id]) {
      for (const path of pathsOf(each)) {
        expect(missingScopeOf(await bearers[lacking]!.send(path))).toEqual([403, param]);
        expect((await bearers[ok]!.send(path)).status).toBe(200);
      }
      const body = { ...BODY, previous_response_id: each };
      const refused = await bearers[lacking]!.send(RESPONSES, { body });
      expect(missingScopeOf(refused)).toEqual([403, param]);
      expect((await bearers[ok]!.send(RESPONSES, { body })).status).toBe(200);
      const compact = await bearers[lacking]!.send(`${RESPONSES}/compact`, { body });
      expect(missingScopeOf(compact)).toEqual([403, param]);
      const removal = await bearers[lacking]!.send(pathsOf(each)[0]!, { method: 'DELETE' });
      expect(missingScopeOf(removal)).toEqual([403, param]);
    }
    expect((await bearers[ok]!.send(pathsOf(id)[0]!, { method: 'DELETE' })).status).toBe(200);
  });

  it('are none in a workspace that forbids them, nor at a provider', async () => {
    const { id } = await create();
    await setStoring({ storing: false });
    const plain = await eventually(async () => {
      const answer = await owner.send(RESPONSES, { body: BODY });
      return answer.text.includes('"store":false') ? answer : undefined;
    }, 'the setting to take effect');
    expect(plain.status).toBe(200);
    const { id: unstored } = plain.json as { id: string };
    expect((await owner.send(`${RESPONSES}/${unstored}`)).status).toBe(404);
    const background = await owner.send(RESPONSES, { body: { ...BODY, background: true } });
    expect(background.status).toBe(400);
    expect(background.json).toMatchObject({ error: { code: 'storing_forbidden' } });
    const agent = await owner.send(RESPONSES, { body: { ...BODY, model: 'agent:strategy' } });
    expect([agent.status, agent.text]).toEqual([200, expect.stringContaining('"store":false')]);
    await owner.send(RESPONSES, { body: { ...BODY, model: 'gpt-test' } });
    expect(fixture.calls().at(-1)).toMatchObject({
      path: expect.stringContaining('/responses'),
      parsed: { input: BODY.input, store: false },
    });
    // What was stored before stays.
    expect((await owner.send(`${RESPONSES}/${id}`)).status).toBe(200);
    await setStoring({});
    await eventually(async () => {
      const answer = await owner.send(RESPONSES, { body: BODY });
      return answer.text.includes('"store":true') || undefined;
    }, 'the default to take effect');
  });

  it('in the background end when the key is revoked', async () => {
    const created = await owner.send('/v1/api-keys', { body: { name: 'a' } });
    const { apiKey, key } = created.json as { apiKey: { id: string }; key: string };
    const callNumber = fixture.provider.requests.length + 1;
    fixture.provider.script(neverAnswer());
    const answer = await owner.send(RESPONSES, {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: { ...BODY, background: true },
    });
    expect(answer.status).toBe(202);
    await fixture.provider.whenRequest(callNumber);
    await owner.send(`/v1/api-keys/${apiKey.id}`, { method: 'DELETE' });
    expect((await fixture.provider.whenAborted(callNumber)).aborted).toBe(true);
    const { id } = answer.json as { id: string };
    const ended = await eventually(async () => {
      const { json } = await owner.send(`${RESPONSES}/${id}`);
      return (json as { status: string }).status === 'failed' ? json : undefined;
    }, 'the response to end');
    expect(ended).toMatchObject({ error: { message: expect.stringContaining('was revoked') } });
  });
});
