import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Certificate } from '@witan/proof';
import { answerWith, eventually, openScriptedProvider } from '@witan/testing';
import type { RecordedRequest, ScriptedProvider } from '@witan/testing';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const MODEL = 'text-embedding-3-small';
const LOCAL_MODEL = 'llama-local';
const EMAIL = 'ann.lee@example.com';
const DOCUMENT = `The harbour opens at six; write to ${EMAIL} for a berth.`;
/** Has no word in common with the document; the scripted provider gives all texts one vector. */
const QUESTION = 'Whom do I contact about a mooring?';
const SECRET = 'Whom do I contact about quorvexil?';

type Passage = { text: string; score: number };

describe.each(TRANSPORTS)('knowledge with an embedding model, services over %s', (transport) => {
  let local: ScriptedProvider;
  let fixture: Fixture;
  let sourceId = '';

  beforeAll(async () => {
    local = await openScriptedProvider({ models: [LOCAL_MODEL] });
    const env = {
      METERING: 'metered',
      WITAN_OPENING_CREDIT: '1000000',
      WITAN_KNOWLEDGE_EMBEDDING_MODEL: MODEL,
      LOCAL_BASE_URL: local.baseUrl,
      LOCAL_MODEL,
    };
    fixture = await openFixture({ transport, env, fallback: answerWith() });
    const { json } = await post('/v1/knowledge/sources', { name: 'Port' });
    sourceId = (json as { source: { id: string } }).source.id;
    await post(`/v1/knowledge/sources/${sourceId}/documents`, { content: DOCUMENT });
    await eventually(async () => (await embeddings()).length === 1, 'a certified embedding');
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await local[Symbol.asyncDispose]();
  });

  const post = async (path: string, body: object, status = 201): Promise<Answer> => {
    const answer = await fixture.client.send(path, { body });
    expect([path, answer.status, answer.text]).toEqual([path, status, answer.text]);
    return answer;
  };
  const embeddings = async (): Promise<Certificate[]> =>
    (await fixture.client.listCertificates()).filter(
      ({ payload }) => payload.routing.taskType === 'embedding',
    );
  const sentTexts = (): string[] =>
    fixture
      .calls()
      .filter(({ path }) => path === '/v1/embeddings')
      .flatMap(({ parsed }: RecordedRequest) => (parsed as { input: string[] }).input);
  const search = async (query: string): Promise<Passage[]> => {
    const { json } = await post('/v1/knowledge/search', { query }, 200);
    return (json as { passages: Passage[] }).passages;
  };
  const complete = (model: string, content: string) =>
    post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] }, 200);

  it('sends documents masked, metered and certified', async () => {
    const [text, ...more] = sentTexts();
    expect(more).toEqual([]);
    expect(text).toMatch(/^The harbour opens at six; write to \[\[EMAIL_\w+\]\] for a berth\.$/);
    const [{ payload }] = (await embeddings()) as [Certificate];
    expect(payload).toMatchObject({
      address: { kind: 'model' },
      egress: { provider: 'openai', model: MODEL, pii: { masked: 1, categories: ['EMAIL'] } },
      response: { finishReason: 'stop', usage: { totalTokens: 5 } },
    });
    const { json } = await fixture.client.send(`/v1/proofs/${payload.id}/verify`);
    expect(json).toMatchObject({ valid: true });
  });

  it('finds a passage without a common word, by one certified call for the query', async () => {
    const before = (await embeddings()).length;
    const [passage] = await search(QUESTION);
    expect(passage).toMatchObject({ text: DOCUMENT });
    expect(sentTexts().at(-1)).toBe(QUESTION);
    await eventually(async () => (await embeddings()).length === before + 1, 'its certificate');
  });

  it('grounds a +knowledge call, unless the call stays local', async () => {
    const answer = await complete('gpt-test+knowledge', QUESTION);
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.grounding).toHaveLength(1);
    const count = sentTexts().length;
    for (const model of ['gpt-test+knowledge+sensitive', 'service-sensitive+knowledge']) {
      const localAnswer = await complete(model, SECRET);
      const { payload: localPayload } = await fixture.client.certificateOf(localAnswer);
      expect(localPayload.grounding).toEqual([]);
    }
    expect(sentTexts()).toHaveLength(count);
    const sent = fixture.calls().map(({ body }) => Buffer.from(body).toString());
    expect(sent.join()).not.toContain('quorvexil');
  });

  it('embeds nothing for a preview', async () => {
    const count = fixture.calls().length;
    const messages = [{ role: 'user', content: QUESTION }];
    await post('/v1/chat/completions/preview', { model: 'gpt-test+knowledge', messages }, 200);
    expect(fixture.calls()).toHaveLength(count);
  });
});
