import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient, MESSAGE_PING, PING } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openKeys } from './open-keys.ts';
import type { CreatedKey, Keys } from './open-keys.ts';

type Cost = { currency: string; micros: number } | null;
type Call = {
  proofId: string;
  createdAt: string;
  address: object;
  requestedModel: string;
  provider: string;
  model: string;
  keyId: string | null;
  usage: { promptTokens: number; completionTokens: number; totalTokens: number };
  cost: Cost;
  durationMs: number | null;
  finishReason: string;
};
type CallPage = { calls: Call[]; nextCursor?: string };
type Sums = {
  calls: number;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  cost: Cost;
  unpricedCalls: number;
};
type Usage = {
  usage: (Sums & { day?: string; keyId?: string | null; agent?: string | null; model?: string })[];
  total: Sums;
  prices: { date: string; sha256: string; overrides: boolean };
};

const CALLS_PATH = '/v1/calls';
const USAGE_PATH = '/v1/usage';
/** Prices of gpt-4o-mini in picodollars per token. */
const INPUT = 150_000;
const OUTPUT = 600_000;

describe.each(TRANSPORTS)('calls and usage, services over %s', (transport) => {
  let fixture: Fixture;
  let keys: Keys;
  let owner: CreatedKey;
  let client: HttpClient;
  let second: { keyId: string; client: HttpClient };
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    keys = await openKeys(fixture.system);
    owner = await keys.makeKey();
    client = createHttpClient(owner);
    expectDocumented = await createExpectDocumented(client);
    const created = await client.send('/v1/api-keys', { body: { name: 'second', scopes: ['*'] } });
    const { apiKey, key } = created.json as { apiKey: { id: string }; key: string };
    second = { keyId: apiKey.id, client: createHttpClient({ ...owner, apiKey: key }) };
    const persona = { role: 'Tester', systemPrompt: 'You test.', model: 'gpt-4o-mini' };
    await client.send('/v1/agents', { body: { name: 'Ann', ...persona } });
    for (const [caller, body] of [
      [client, { ...PING, model: 'gpt-4o-mini' }],
      [client, PING],
      [second.client, { ...PING, model: 'gpt-4o-mini' }],
      [second.client, { ...PING, model: 'agent:ann' }],
    ] as const) {
      expect((await caller.complete(body)).status).toBe(200);
    }
    expect((await client.message(MESSAGE_PING)).status).toBe(200);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const listCalls = async (query = ''): Promise<CallPage> => {
    const answer = await client.send(`${CALLS_PATH}${query}`);
    expectDocumented(answer, `GET ${CALLS_PATH}`);
    expect([query, answer.status, answer.text]).toEqual([query, 200, expect.any(String)]);
    return answer.json as CallPage;
  };
  const getUsage = async (query = ''): Promise<Usage> => {
    const answer = await client.send(`${USAGE_PATH}${query}`);
    expectDocumented(answer, `GET ${USAGE_PATH}`);
    expect([query, answer.status, answer.text]).toEqual([query, 200, expect.any(String)]);
    return answer.json as Usage;
  };
  const costOf = ({ promptTokens, completionTokens }: Call['usage']): number =>
    Math.round((promptTokens * INPUT + completionTokens * OUTPUT) / 1e6);

  it('list what certificates say, newest first, with key, time and cost', async () => {
    const { calls } = await listCalls();
    const certificates = (await client.listCertificates()).toReversed();
    expect(calls.map(({ proofId }) => proofId)).toEqual(
      certificates.map(({ payload }) => payload.id),
    );
    expect(calls).toHaveLength(5);
    const [message, agent, other, unpriced, first] = calls as [Call, Call, Call, Call, Call];
    expect(first).toMatchObject({
      createdAt: certificates.at(-1)!.payload.issuedAt,
      address: { kind: 'model' },
      requestedModel: 'gpt-4o-mini',
      provider: 'openai',
      model: 'gpt-4o-mini',
      keyId: owner.keyId,
      usage: certificates.at(-1)!.payload.response.usage,
      cost: { currency: 'USD', micros: costOf(first.usage) },
      durationMs: expect.any(Number),
      maskedCount: 0,
      finishReason: 'stop',
    });
    expect([unpriced.cost, message.provider, other.keyId]).toEqual([
      null,
      'anthropic',
      second.keyId,
    ]);
    expect(agent).toMatchObject({ address: { kind: 'agent', agent: 'ann' }, keyId: second.keyId });
  });

  it.each<[string, (call: Call) => boolean]>([
    ['agent=ann', ({ address }) => 'agent' in address],
    ['addressKind=agent', ({ address }) => 'agent' in address],
    ['model=gpt-4o-mini', ({ requestedModel }) => requestedModel === 'gpt-4o-mini'],
    ['egressModel=gpt-4o-mini', ({ model }) => model === 'gpt-4o-mini'],
    ['provider=anthropic', ({ provider }) => provider === 'anthropic'],
    ['keyId=SECOND', ({ keyId }) => keyId === second.keyId],
    ['finishReason=stop', ({ finishReason }) => finishReason === 'stop'],
    ['finishReason=lost', () => false],
    ['provider=openai&keyId=SECOND', ({ keyId }) => keyId === second.keyId],
    ['agent=a%22nn', () => false],
  ])('are filtered by %s, as certificates are', async (text, isExpected) => {
    const filter = text.replace('SECOND', second.keyId);
    const all = (await listCalls()).calls;
    const expected = all.filter(isExpected).map(({ proofId }) => proofId);
    const { calls } = await listCalls(`?${filter}`);
    expect(calls.map(({ proofId }) => proofId)).toEqual(expected);
    const answer = await client.send(`/v1/proofs?order=desc&${filter}`);
    expectDocumented(answer, 'GET /v1/proofs');
    const { proofs } = answer.json as { proofs: { payload: { id: string } }[] };
    expect(proofs.map(({ payload }) => payload.id)).toEqual(expected);
  });

  it('are filtered by time, both ends inclusive', async () => {
    const times = (await listCalls()).calls.map(({ createdAt }) => createdAt);
    const [from, to] = [times[3]!, times[1]!];
    const { calls } = await listCalls(`?from=${from}&to=${to}`);
    const within = times.filter((time) => time >= from && time <= to);
    expect(calls.map(({ createdAt }) => createdAt)).toEqual(within);
    expect((await listCalls('?from=2099-01-01T00:00:00Z')).calls).toEqual([]);
    expect((await listCalls('?to=2001-01-01T00:00:00%2B01:00')).calls).toEqual([]);
  });

  it.each([
    [CALLS_PATH, 'calls'],
    ['/v1/proofs', 'proofs'],
    ['/v1/proofs?order=desc', 'proofs'],
  ])('are paged: %s', async (path, member) => {
    const read = async (query: string) => {
      const { json } = await client.send(`${path}${path.includes('?') ? '&' : '?'}${query}`);
      return json as { nextCursor?: string } & Record<string, unknown[]>;
    };
    const all = (await read('limit=500'))[member]!;
    const items: unknown[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: Awaited<ReturnType<typeof read>> = await read(`limit=2&cursor=${cursor}`);
      items.push(...page[member]!);
      cursor = page.nextCursor;
    }
    expect(items).toEqual(all);
  });

  it.each(['cursor=x', 'from=yesterday', 'finishReason=none', 'limit=0', 'keyId=%00', 'unknown=1'])(
    'are not listed with %s',
    async (query) => {
      const answer = await client.send(`${CALLS_PATH}?${query}`);
      expectDocumented(answer, `GET ${CALLS_PATH}`);
      expect(answer.status).toBe(400);
    },
  );

  it('are summed up by key, agent, model, provider and day, with costs', async () => {
    const { calls } = await listCalls();
    const today = new Set(calls.map(({ createdAt }) => createdAt.slice(0, 10)));
    const byKey = await getUsage('?groupBy=key');
    const sumTokens = (some: Call[]): number =>
      some.reduce((sum, { usage }) => sum + usage.totalTokens, 0);
    for (const { keyId, ...sums } of byKey.usage) {
      const own = calls.filter((call) => call.keyId === keyId);
      expect([sums.calls, sums.totalTokens]).toEqual([own.length, sumTokens(own)]);
    }
    expect(new Set(byKey.usage.map(({ keyId }) => keyId))).toEqual(
      new Set([owner.keyId, second.keyId]),
    );
    expect(byKey.usage).toHaveLength(2);
    const priced = calls.filter(({ cost }) => cost !== null);
    const usage = priced.reduce(
      (sum, call) => ({
        promptTokens: sum.promptTokens + call.usage.promptTokens,
        completionTokens: sum.completionTokens + call.usage.completionTokens,
        totalTokens: 0,
      }),
      { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
    );
    expect(byKey.total).toMatchObject({
      calls: 5,
      totalTokens: sumTokens(calls),
      cost: { currency: 'USD', micros: costOf(usage) },
      unpricedCalls: 2,
    });
    expect(byKey.prices).toMatchObject({ sha256: expect.any(String), overrides: false });
    const all = await getUsage('?groupBy=day,agent,model,provider');
    expect(new Set(all.usage.map(({ day }) => day))).toEqual(today);
    expect(all.usage.filter(({ agent }) => agent === 'ann')).toHaveLength(1);
    expect(all.usage.find(({ model }) => model === 'claude-test')!.cost).toBeNull();
    expect(all.total).toEqual(byKey.total);
    expect((await getUsage('?to=2001-01-01')).total).toMatchObject({ calls: 0, cost: null });
  });

  it('are exported as CSV', async () => {
    const answer = await client.send(`${USAGE_PATH}?groupBy=model&format=csv`);
    expectDocumented(answer, `GET ${USAGE_PATH}`);
    const [head, ...lines] = answer.text.trimEnd().split('\r\n');
    expect(head).toBe(
      'model,calls,promptTokens,completionTokens,totalTokens,costUsdMicros,unpricedCalls',
    );
    expect(lines.find((line) => line.startsWith('claude-test,1,'))).toMatch(/,,1$/);
  });

  it('are shown to the scopes of gateway or ledger, and only in their workspace', async () => {
    const reader = createHttpClient(await keys.makeKey(['ledger:read']));
    expect((await reader.send(CALLS_PATH)).json).toEqual({ calls: [] });
    expect((await reader.send(USAGE_PATH)).json).toMatchObject({ usage: [], total: { calls: 0 } });
    const other = createHttpClient(await keys.makeKey(['tools']));
    const refused = { status: 403, code: 'insufficient_scope' };
    expectNativeRefusal(await other.send(CALLS_PATH), { ...refused, param: 'gateway' });
    expectNativeRefusal(await other.send(USAGE_PATH), { ...refused, param: 'ledger' });
  });
});
