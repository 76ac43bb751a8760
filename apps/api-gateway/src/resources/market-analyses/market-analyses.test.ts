import { afterEach, describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { AnalyzeMarketEventSchema, ServiceError } from '@witan/contracts';
import type { AnalyzeMarketEvent } from '@witan/contracts';
import type { MarketService } from '@witan/contracts/services';
import { commit } from '@witan/proof';
import type { CallOptions, Client } from '@witan/service-kit';
import { openRoutes } from '../../../test/open-routes.ts';
import type { OpenRoutes } from '../../../test/open-routes.ts';
import { expectAborted, createFakeStream } from '../../../test/create-fake-stream.ts';
import { encodeMarketEvent, marketRoutes } from './market-analyses.ts';

const open: OpenRoutes[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((routes) => routes[Symbol.asyncDispose]()));
});

const PATH = '/v1/market-analysis';
const TIMEOUT_MS = 5_000;
const BODY = { query: 'Bread in France' };

type Init = NonNullable<Parameters<typeof create<typeof AnalyzeMarketEventSchema>>[1]>;
const toEvent = (event: Init['event']): AnalyzeMarketEvent =>
  create(AnalyzeMarketEventSchema, { event });

const ANALYSIS = {
  id: 'mka_1',
  query: 'Bread in France',
  depth: 'quick',
  createdAt: create(TimestampSchema, { seconds: 1_790_000_000n, nanos: 5_000_000 }),
  analysis: '{"marketSize":"Large","trends":["Up"]}',
  proofIds: ['pf_2', 'pf_1'],
  usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 },
  finishReason: 'stop',
};
const ENCODED_ANALYSIS = {
  id: 'mka_1',
  query: 'Bread in France',
  depth: 'quick',
  createdAt: '2026-09-21T14:13:20.005Z',
  analysis: { marketSize: 'Large', trends: ['Up'] },
  proofs: ['pf_2', 'pf_1'],
};
const USAGE = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const STARTED_EVENT = toEvent({
  case: 'started',
  value: { id: 'mka_1', model: 'gpt', proofId: 'pf_1' },
});
const SECTION = toEvent({ case: 'section', value: 'trends' });
const DELTA = toEvent({ case: 'delta', value: '["Up"]' });
const COMPLETED = toEvent({ case: 'completed', value: ANALYSIS });
const INTERRUPTED = new ServiceError('PROVIDER_STREAM_CUT', 'The provider broke off.');

const openMarkets = async (
  events: readonly AnalyzeMarketEvent[],
  failure?: Error | Promise<never>,
) => {
  const { client, seen } = createFakeStream<typeof MarketService>(events, failure);
  const respondWith = (response: object) => async (request: object, options: CallOptions) => {
    seen.push({ rpc: 'unary', request, options });
    return response;
  };
  const markets = {
    analyzeMarket: client.analyzeMarket,
    listMarketAnalyses: respondWith({ analyses: [ANALYSIS], nextCursor: 'mka_1' }),
    getMarketAnalysis: respondWith({ analysis: ANALYSIS }),
  } as unknown as Client<typeof MarketService>;
  const routes = await openRoutes(marketRoutes(markets, TIMEOUT_MS));
  open.push(routes);
  const post = (path: string, body: object = BODY, signal?: AbortSignal) =>
    routes.send(path, { method: 'POST', body, ...(signal && { signal }) });
  return { get: routes.send, post, seen };
};

const framesOf = async (response: Response): Promise<string[]> =>
  (await response.text()).split('\n\n').slice(0, -1);
const STREAM = `${PATH}/stream`;

describe('a market analysis', () => {
  it('returns the stored analysis and names its certificates', async () => {
    const { post, seen } = await openMarkets([STARTED_EVENT, COMPLETED]);
    const body = { ...BODY, depth: 'quick' };
    const response = await post(PATH, body);
    expect([response.status, await response.json()]).toEqual([
      200,
      { ...ENCODED_ANALYSIS, finishReason: 'stop', usage: USAGE },
    ]);
    const named = ['x-service-proof', 'x-service-proofs', 'x-service-model'];
    expect(named.map((name) => response.headers.get(name))).toEqual(['pf_2', 'pf_2, pf_1', 'gpt']);
    const [{ request, options }] = seen as [(typeof seen)[number]];
    expect(request).toEqual({
      ...body,
      streamed: false,
      proofId: expect.stringMatching(/^pf_/),
      requestSha256: commit(body),
    });
    expect([options.workspaceId, options.timeoutMs]).toEqual(['ws_1', TIMEOUT_MS]);
  });

  it.each([
    ['no query', {}, 'query'],
    ['a blank query', { query: ' ' }, 'query'],
    ['a lone surrogate', { query: 'a\ud800' }, 'query'],
    ['a query that is too long', { query: 'x'.repeat(8_001) }, 'query'],
    ['a query that is not a text', { query: 7 }, 'query'],
    ['an unknown depth', { query: 'x', depth: 'deep' }, 'depth'],
  ])('is refused with %s, streamed or not', async (_name, body, param) => {
    const { post, seen } = await openMarkets([STARTED_EVENT, COMPLETED]);
    for (const path of [PATH, STREAM]) {
      const response = await post(path, body);
      const { error } = (await response.json()) as { error: { param: string } };
      expect([response.status, error.param]).toEqual([400, param]);
    }
    expect(seen).toEqual([]);
  });

  it.each([
    ['of the provider', new ServiceError('RATE_LIMITED', 'Wait.'), 429],
    ['of every model', new ServiceError('PROVIDER_INVALID_ANSWER', 'None.'), 502],
    ['without a final event', undefined, 500],
  ])('returns the status of a failure %s, streamed or not', async (_name, failure, status) => {
    const { post } = await openMarkets([], failure);
    for (const path of [PATH, STREAM]) expect((await post(path)).status).toBe(status);
  });
});

describe('a streamed market analysis', () => {
  it('sends all events to the end', async () => {
    const response = await (
      await openMarkets([STARTED_EVENT, SECTION, DELTA, COMPLETED])
    ).post(STREAM);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(response.headers.get('x-service-proof')).toBe('pf_1');
    const completed = { ...ENCODED_ANALYSIS, finishReason: 'stop', usage: USAGE };
    expect(await framesOf(response)).toEqual([
      ':',
      'event: started\ndata: {"id":"mka_1","model":"gpt","proof":"pf_1"}',
      'event: section\ndata: {"name":"trends"}',
      'event: delta\ndata: {"content":"[\\"Up\\"]"}',
      `event: usage\ndata: ${JSON.stringify(USAGE)}`,
      `event: completed\ndata: ${JSON.stringify(completed)}`,
    ]);
  });

  it.each([
    ['a failure with a reason', INTERRUPTED, 'provider_error'],
    ['a bug', new Error('SELECT secret'), 'internal_error'],
    ['a missing final event', undefined, 'internal_error'],
  ])('ends in an error after %s', async (_name, failure, code) => {
    const response = await (await openMarkets([STARTED_EVENT, DELTA], failure)).post(STREAM);
    const last = (await framesOf(response)).at(-1)!;
    expect(last).toMatch(new RegExp(`^event: error\\ndata: .*"code":"${code}"`));
    expect(last).not.toContain('SELECT');
  });

  it('is aborted when its client disconnects', async () => {
    await expectAborted(async (hanging) => {
      const { post, seen } = await openMarkets([STARTED_EVENT], hanging);
      return { seen, send: (signal) => post(STREAM, BODY, signal) };
    });
  });

  it('skips events of unknown types', () => {
    expect(encodeMarketEvent(create(AnalyzeMarketEventSchema))).toBe('');
  });
});

describe('stored market analyses', () => {
  it('are listed in pages', async () => {
    const { get, seen } = await openMarkets([]);
    const response = await get(`${PATH}?limit=1&cursor=mka_0`);
    const { analysis: _analysis, proofs: _proofs, ...listedFields } = ENCODED_ANALYSIS;
    expect(await response.json()).toEqual({ analyses: [listedFields], nextCursor: 'mka_1' });
    expect(seen[0]!.request).toEqual({ limit: 1, cursor: 'mka_0' });
  });

  it.each(['limit=0', 'limit=501', 'cursor=other'])('are not listed with %s', async (query) => {
    expect((await (await openMarkets([])).get(`${PATH}?${query}`)).status).toBe(400);
  });

  it('are returned by id', async () => {
    const { get, seen } = await openMarkets([]);
    expect(await (await get(`${PATH}/mka_1`)).json()).toEqual(ENCODED_ANALYSIS);
    expect(seen[0]!.request).toEqual({ analysisId: 'mka_1' });
    const unknown = await Promise.all(['stream', 'sim_1'].map((id) => get(`${PATH}/${id}`)));
    expect(unknown.map(({ status }) => status)).toEqual([404, 404]);
  });
});
