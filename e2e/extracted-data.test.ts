import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commit, commitAnswer } from '@witan/proof';
import { answerWith, failWith } from '@witan/testing';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient, RequestOptions } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const COMPLETE_OPERATION = 'POST /v1/ai/complete';
const LIST_OPERATION = 'GET /v1/ai/extracted-data';
const FACT_PATH = '/v1/ai/extracted-data/{id}';
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

const REQUEST_BODY = {
  systemPrompt: 'Be brief.',
  messages: [{ role: 'user', content: 'We raise 2M' }],
};
const RAISE_FACT = { category: 'goal', key: 'raise', value: '2M', confidence: 0.9 };
const EXTRACTION = { source: 'crm', categories: ['goal'], persist: true };

type Fact = typeof RAISE_FACT & { id: string; source: string; createdAt: string };
type FactList = { data: Fact[]; count: number };

describe.each(TRANSPORTS)(
  'native completions with data and facts, services over %s',
  (transport) => {
    let fixture: Fixture;
    let keys: Keys;
    let expectDocumented: ExpectDocumented;

    beforeAll(async () => {
      fixture = await openFixture({ transport, env: { WITAN_MODEL_FULL: 'gpt-test' } });
      keys = await openKeys(fixture.system);
      expectDocumented = await createExpectDocumented(fixture.client);
    });
    afterAll(async () => {
      await keys[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const createClient = async (scopes?: string[]): Promise<HttpClient> =>
      createHttpClient(await keys.makeKey(scopes));
    const call = async (
      client: HttpClient,
      operation: string,
      { id = '', query = '', ...init }: RequestOptions & { id?: string; query?: string } = {},
    ): Promise<Answer> => {
      const [method, path = ''] = operation.split(' ');
      const answer = await client.send(path.replace('{id}', id) + query, { method, ...init });
      expectDocumented(answer, operation);
      return answer;
    };
    const completeWithFacts = async (
      client: HttpClient,
      facts: object[],
      extractionOptions: object = {},
    ): Promise<Answer> => {
      fixture.provider.script(answerWith());
      fixture.provider.script(answerWith({ content: JSON.stringify({ facts }) }));
      const body = { ...REQUEST_BODY, extraction: { ...EXTRACTION, ...extractionOptions } };
      const answer = await call(client, COMPLETE_OPERATION, { body });
      expect([answer.status, answer.json]).toEqual([200, expect.anything()]);
      return answer;
    };
    const listFacts = async (client: HttpClient, query = ''): Promise<FactList> =>
      (await call(client, LIST_OPERATION, { query })).json as FactList;

    it('include the data in the prompt and are certified', async () => {
      const client = await createClient();
      const supplementary = [
        { category: 'notes', data: 'verbatim' },
        { category: 'crm', data: { seats: 40 }, priority: 'high' },
      ];
      const body = { ...REQUEST_BODY, supplementary };
      const answer = await call(client, COMPLETE_OPERATION, { body });
      expect([answer.status, answer.json]).toEqual([
        200,
        {
          content: 'pong',
          usage: { promptTokens: 3, completionTokens: 1, totalTokens: 4 },
          extracted: [],
          finishReason: 'stop',
        },
      ]);
      const { messages, ...sent } = fixture.calls().at(-1)!.parsed as { messages: object[] };
      expect(sent).not.toHaveProperty('temperature');
      const block =
        '--- SUPPLEMENTARY CONTEXT ---\n[CRM] (high priority)\n{\n  "seats": 40\n}\n\n' +
        '[NOTES]\nverbatim\n--- END SUPPLEMENTARY CONTEXT ---';
      expect(JSON.stringify(messages)).toContain(JSON.stringify(block).slice(1, -1));
      const { payload } = await client.certificateOf(answer);
      expect(payload.request.sha256).toBe(commit(body));
      const content = 'pong';
      expect(payload.response.sha256).toBe(commitAnswer([{ index: 0, content, toolCalls: [] }]));
    });

    it('store facts by source, category and key, restricted to the requested ones', async () => {
      const client = await createClient();
      const otherFact = { ...RAISE_FACT, category: 'rumour' };
      const answer = await completeWithFacts(client, [RAISE_FACT, otherFact]);
      expect(answer.json).toMatchObject({ extracted: [RAISE_FACT], usage: { totalTokens: 8 } });
      expect(answer.headers.get('x-service-proofs')!.split(', ')).toHaveLength(2);
      const { data, count } = await listFacts(client);
      const expectedFields = {
        id: expect.stringMatching(/^fct_/),
        source: 'crm',
        createdAt: INSTANT,
      };
      expect([data, count]).toEqual([[{ ...RAISE_FACT, ...expectedFields }], 1]);
      await completeWithFacts(client, [{ ...RAISE_FACT, value: '3M' }]);
      expect(await listFacts(client)).toMatchObject({ data: [{ id: data[0]!.id, value: '3M' }] });
      await completeWithFacts(client, [RAISE_FACT], { persist: false, source: 'other' });
      await completeWithFacts(client, [{ ...RAISE_FACT, category: 'team' }], {
        categories: ['team'],
        source: 'hr',
      });
      expect((await listFacts(client)).data.map(({ source }) => source)).toEqual(['hr', 'crm']);
      expect((await listFacts(client, '?source=crm')).count).toBe(1);
      expect((await listFacts(client, '?category=team&limit=500')).data[0]!.source).toBe('hr');
      expect((await listFacts(client, '?source=crm&category=team')).count).toBe(0);
      expect((await listFacts(client, '?limit=1')).count).toBe(1);
    });

    it('succeed without facts when the extraction fails', async () => {
      const client = await createClient();
      fixture.provider.script(answerWith());
      fixture.provider.script(failWith(500));
      const answer = await call(client, COMPLETE_OPERATION, {
        body: { ...REQUEST_BODY, extraction: EXTRACTION },
      });
      expect(answer.json).toMatchObject({ content: 'pong', extracted: [] });
      expect(answer.status).toBe(200);
    });

    it.each(['0', '501', 'many'])('refuse a limit of %s', async (limit) => {
      const client = await createClient();
      const answer = await call(client, LIST_OPERATION, { query: `?limit=${limit}` });
      const { error } = answer.json as { error: { param: string } };
      expect([answer.status, error.param]).toEqual([400, 'limit']);
    });

    it('show and delete a fact only for its own workspace', async () => {
      const owner = await createClient();
      const otherOwner = await createClient();
      await completeWithFacts(owner, [RAISE_FACT]);
      const [fact] = (await listFacts(owner)).data;
      const { id } = fact!;
      expect((await call(owner, `GET ${FACT_PATH}`, { id })).json).toEqual({ data: fact });
      expect((await listFacts(otherOwner)).count).toBe(0);
      const notFound = { status: 404, code: 'not_found' };
      for (const operation of [`GET ${FACT_PATH}`, `DELETE ${FACT_PATH}`]) {
        expectNativeRefusal(await call(otherOwner, operation, { id }), notFound);
        expectNativeRefusal(await call(owner, operation, { id: 'fct_%00' }), notFound);
      }
      expect((await call(owner, `DELETE ${FACT_PATH}`, { id })).status).toBe(204);
      expectNativeRefusal(await call(owner, `GET ${FACT_PATH}`, { id }), notFound);
    });

    it('require the scope ai, and ai:read for reads', async () => {
      const reader = await createClient(['ai:read']);
      const otherClient = await createClient(['agents']);
      expect((await call(reader, LIST_OPERATION)).status).toBe(200);
      expect((await call(otherClient, LIST_OPERATION)).status).toBe(403);
      expect((await call(reader, COMPLETE_OPERATION, { body: REQUEST_BODY })).status).toBe(403);
      expect((await call(reader, `DELETE ${FACT_PATH}`, { id: 'fct_1' })).status).toBe(403);
    });
  },
);
