import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commitAnswer, commitmentText } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { answerWith, createGate, eventually, failWith } from '@witan/testing';
import type { Script } from '@witan/testing';
import { expectNativeRefusal } from './expect-refusal.ts';
import type { Answer, HttpClient, RequestOptions } from './http-client.ts';
import { framesOf } from './open-conversations.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

const LIST_PATH = '/v1/market-analysis';
const STREAM = `${LIST_PATH}/stream`;
const ITEM_PATH = `${LIST_PATH}/{id}`;
const MODELS = { WITAN_MODEL_FULL: 'gpt-full', WITAN_MODEL_CHEAP: 'gpt-cheap' };
const BODY = { query: 'How big is the market for bread in Lyon? We bake like Paul.' };

const SIZE = {
  value: 120_000_000,
  unit: 'revenue per year',
  currency: 'EUR',
  year: 2023,
  region: 'Lyon',
  cagrPct: 1.5,
  low: 150_000_000,
  high: 100_000_000,
  method: 'bottom_up',
  confidence: 0.9,
};
/** A model answer that claims more certainty than it supports. */
const OVERCONFIDENT = {
  marketSize: SIZE,
  trends: ['Sourdough grows, see https://made.up/trends.'],
  competitors: [
    { name: 'Paul', estimatedSharePct: 80, url: 'https://paul.example', evidence: 'web' },
    { name: 'Kayser', estimatedSharePct: 40, confidence: 1 },
  ],
  recommendations: [{ title: 'Open early', priority: 'high' }],
  sources: ['A study of 2024'],
};
const TEXT = JSON.stringify(OVERCONFIDENT);
const USAGE = { promptTokens: 3, completionTokens: 1, totalTokens: 4 };
const USAGE_OF_TWO_CALLS = { promptTokens: 6, completionTokens: 2, totalTokens: 8 };

type CreatedAnalysis = {
  id: string;
  analysis: typeof OVERCONFIDENT & { assumptions: string[] };
  proofs: string[];
};

const commitmentOf = (content: string): string =>
  commitAnswer([{ index: 0, content, toolCalls: [] }]);
const readFrames = (answer: Answer) =>
  framesOf(answer).map(({ event, data }) => ({ event, data: data as Record<string, unknown> }));
const analysisOf = ({ json }: Answer): CreatedAnalysis => json as CreatedAnalysis;

describe.each(TRANSPORTS)('market analyses, services over %s', (transport) => {
  let api: DocumentedApi;
  let client: HttpClient;

  beforeAll(async () => {
    api = await openDocumentedApi({ transport, env: MODELS });
    client = await api.createClient();
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
  });

  const ask = (path: string, scripts: readonly Script[], init: RequestOptions = {}) => {
    for (const script of scripts) api.fixture.provider.script(script);
    return api.call(client, `POST ${path}`, {}, { body: BODY, ...init });
  };
  const certificateOf = async (id: string): Promise<Certificate> =>
    (await client.send(`/v1/proofs/${id}`)).json as Certificate;
  const read = (id: string) => api.call(client, `GET ${ITEM_PATH}`, { id });
  const countStored = async (): Promise<number> =>
    ((await api.call(client, `GET ${LIST_PATH}`)).json as { analyses: object[] }).analyses.length;

  it('are validated, limited in confidence, and stored', async () => {
    const answer = await ask(LIST_PATH, [answerWith({ content: TEXT })]);
    const { analysis, ...made } = analysisOf(answer);
    expect(made).toEqual({
      id: expect.stringMatching(/^mka_/),
      query: BODY.query,
      depth: 'standard',
      createdAt: expect.any(String),
      proofs: [answer.headers.get('x-service-proof')],
      finishReason: 'stop',
      usage: USAGE,
    });
    expect(analysis.marketSize).toEqual({
      ...SIZE,
      description: null,
      low: 100_000_000,
      high: 150_000_000,
      confidence: 0.3,
    });
    expect(analysis.trends).toEqual(['Sourdough grows.']);
    expect(analysis.competitors).toMatchObject([
      { name: 'Paul', estimatedSharePct: null, url: null, evidence: 'provided' },
      { name: 'Kayser', estimatedSharePct: null, url: null, evidence: 'model_knowledge' },
    ]);
    expect(analysis.sources).not.toContain('A study of 2024');
    expect(analysis.assumptions).toHaveLength(6);
    const stored = await read(made.id);
    const {
      usage: _usage,
      finishReason: _ending,
      ...shown
    } = answer.json as Record<string, unknown>;
    expect([stored.status, stored.json]).toEqual([200, shown]);
  });

  it('are certified as delivered, and use the full model', async () => {
    const answer = await ask(LIST_PATH, [answerWith({ content: TEXT })]);
    const { payload } = await client.certificateOf(answer);
    expect(payload).toMatchObject({
      request: { model: 'service-auto', sha256: hash('sha256', commitmentText(BODY), 'hex') },
      egress: { model: 'gpt-full' },
      response: { sha256: commitmentOf(JSON.stringify(analysisOf(answer).analysis)) },
      routing: { taskType: 'analysis', reason: 'complex' },
    });
  });

  it('are requested again after invalid output, and name both certificates', async () => {
    const scripts = [answerWith({ content: 'I would rather not.' }), answerWith({ content: TEXT })];
    const answer = await ask(LIST_PATH, scripts);
    const { proofs, analysis } = analysisOf(answer);
    expect(answer.headers.get('x-service-proofs')).toBe(proofs.join(', '));
    expect(answer.json).toMatchObject({ usage: USAGE_OF_TWO_CALLS });
    const certificates = await Promise.all(proofs.map(certificateOf));
    expect(certificates.map(({ payload }) => payload.response.sha256)).toEqual([
      commitmentOf(JSON.stringify(analysis)),
      // The first answer was unusable and was not sent to the client, so its certificate commits to
      // an empty answer.
      commitAnswer([{ index: 0, content: null, toolCalls: [] }]),
    ]);
  });

  it.each([
    ['no JSON', 'No.'],
    ['nothing', ''],
    ['empty parts', '{"marketSize":"","trends":[],"competitors":[],"recommendations":[]}'],
  ])('fail if the model returns %s, and store only certificates', async (_what, content) => {
    const before = [await countStored(), (await client.listCertificates()).length] as const;
    const finishReason = content === '' ? ('length' as const) : ('stop' as const);
    const scripts = [answerWith({ content, finishReason }), answerWith({ content, finishReason })];
    const plain = await ask(LIST_PATH, scripts);
    const error = { type: 'server_error', code: 'provider_error' };
    expect([plain.status, plain.json]).toMatchObject([502, { error }]);
    const last = readFrames(await ask(STREAM, scripts)).at(-1);
    expect(last).toMatchObject({ event: 'error', data: { error } });
    const after = [await countStored(), (await client.listCertificates()).length];
    expect(after).toEqual([before[0], before[1] + 4]);
  });

  it('return the status of a provider that refused, plain and streamed', async () => {
    for (const path of [LIST_PATH, STREAM]) {
      const refusalScript = failWith(429, { headers: { 'retry-after': '7' } });
      const { status, headers } = await ask(path, [refusalScript]);
      expect([status, headers.get('retry-after')]).toEqual([429, '7']);
    }
  });

  it('are streamed as they are written, and certified in their final form', async () => {
    const pieces = [...TEXT.matchAll(/[^]{1,40}/g)].map(([piece]) => piece);
    const answer = await ask(STREAM, [answerWith({ content: pieces })]);
    const frames = readFrames(answer);
    const eventsNamed = (name: string) => frames.filter(({ event }) => event === name);
    expect(frames.map(({ event }) => event)).toEqual([
      'started',
      ...frames.slice(1, -2).map(({ event }) => (event === 'section' ? event : 'delta')),
      'usage',
      'completed',
    ]);
    expect(eventsNamed('section').map(({ data }) => data['name'])).toEqual([
      'marketSize',
      'trends',
      'competitors',
      'recommendations',
    ]);
    expect(
      eventsNamed('delta')
        .map(({ data }) => data['content'])
        .join(''),
    ).toBe(TEXT);
    expect(eventsNamed('usage')[0]!.data).toEqual(USAGE);
    const completed = eventsNamed('completed')[0]!.data as CreatedAnalysis & {
      usage: object;
      finishReason: string;
    };
    const { usage: _usage, finishReason, ...made } = completed;
    expect(finishReason).toBe('stop');
    const { id, analysis, proofs } = made;
    const proof = answer.headers.get('x-service-proof');
    expect([proofs, eventsNamed('started')[0]!.data]).toEqual([
      [proof],
      expect.objectContaining({ id, proof }),
    ]);
    const { payload } = await certificateOf(proof!);
    expect(payload.response.sha256).toBe(commitmentOf(JSON.stringify(analysis)));
    expect((await read(id)).json).toEqual(made);
  });

  it('abort the provider call when the client disconnects, and are not stored', async () => {
    const before = [await countStored(), (await client.listCertificates()).length] as const;
    const callNumber = api.fixture.provider.requests.length + 1;
    const gate = createGate();
    api.fixture.provider.script(answerWith({ content: ['{"trends":', '["Up"'] }, { gate }));
    gate.release(2);
    const controller = new AbortController();
    const response = await client.open(STREAM, { body: BODY, signal: controller.signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('event: delta')) text += (await reader.read()).value;
    controller.abort();
    expect((await api.fixture.provider.whenAborted(callNumber)).aborted).toBe(true);
    const { payload } = await eventually(
      async () => (await client.listCertificates()).at(before[1]),
      'the certificate of the analysis that was left',
    );
    expect(payload.response).toMatchObject({
      finishReason: 'aborted',
      sha256: commitmentOf('{"trends":'),
    });
    expect(await countStored()).toBe(before[0]);
  });

  it('run once for all calls with one Idempotency-Key', async () => {
    const { apiKey } = await api.keys.makeKey();
    const headers = { 'x-api-key': apiKey, 'idempotency-key': 'bread-1' };
    const send = () => ask(LIST_PATH, [], { headers });
    api.fixture.provider.script(answerWith({ content: TEXT }));
    const calls = api.fixture.calls().length;
    const [first, again] = [await send(), await send()];
    expect([again.headers.get('idempotency-replayed'), again.text]).toEqual(['true', first.text]);
    expect(api.fixture.calls()).toHaveLength(calls + 1);
  });

  it('are listed newest first, in pages', async () => {
    const reader = await api.createClient();
    const queries = ['One', 'Two', 'Three'];
    for (const query of queries) {
      api.fixture.provider.script(answerWith({ content: TEXT }));
      const body = { query, depth: 'quick' };
      expect((await api.call(reader, `POST ${LIST_PATH}`, {}, { body })).status).toBe(200);
    }
    const listedQueries: string[] = [];
    let cursor: string | undefined;
    do {
      const page = `?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`;
      const { json } = await reader.send(`${LIST_PATH}${page}`);
      const { analyses, nextCursor } = json as {
        analyses: { query: string }[];
        nextCursor?: string;
      };
      listedQueries.push(...analyses.map(({ query }) => query));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(listedQueries).toEqual(queries.toReversed());
  });

  it('require the scope market-analysis, and market-analysis:read for reads', async () => {
    const created = analysisOf(await ask(LIST_PATH, [answerWith({ content: TEXT })]));
    const stranger = await api.createClient();
    expect((await stranger.send(`${LIST_PATH}/${created.id}`)).status).toBe(404);
    const reader = await api.createClient(['market-analysis:read']);
    expect((await api.call(reader, `GET ${LIST_PATH}`)).status).toBe(200);
    for (const path of [LIST_PATH, STREAM]) {
      expectNativeRefusal(await reader.send(path, { body: BODY }), {
        status: 403,
        code: 'insufficient_scope',
        param: 'market-analysis',
      });
    }
  });
});

describe('a market analysis without a provider', () => {
  it('states that no model is configured, and invents no figure', async () => {
    const env = { WITAN_DEFAULT_PROVIDER: 'offline', OPENAI_API_KEY: undefined } as never;
    await using api = await openDocumentedApi({ env });
    const client = await api.createClient();
    for (const depth of ['quick', 'comprehensive']) {
      const body = { query: 'Bread in Lyon? We sell 200 a day and compete with Paul.', depth };
      const answer = await api.call(client, `POST ${LIST_PATH}`, {}, { body });
      const { analysis, proofs } = analysisOf(answer);
      expect([answer.status, proofs.length]).toEqual([200, 1]);
      expect(analysis.marketSize).toMatchObject({
        description: expect.stringMatching(/200 a day.*without a model|without a model.*API_KEY/),
        value: null,
        confidence: 0,
      });
      expect([analysis.trends, analysis.competitors]).toEqual([[], []]);
      expect(analysis.recommendations.length).toBeGreaterThanOrEqual(1);
    }
  });
});
