import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { answerWith, openScriptedProvider, openTestSystem } from '@witan/testing';
import type { ScriptedProvider, TestSystem } from '@witan/testing';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { framesOf } from './open-conversations.ts';
import type { Debate } from './open-conversations.ts';
import { COMPANY } from './open-simulations.ts';
import type { Advanced } from './open-simulations.ts';
import { PROVIDER_KEY } from './open-fixture.ts';
import { createScriptedCouncil } from './play-council.ts';

const ANSWER = 'word'.repeat(120);
const PROPOSITION = 'The company should hire now.';
const PROSE = {
  summary: 'The company held on.',
  risks: ['Customers may leave.'],
  recommendations: ['Keep the course.'],
};
const MARKET = {
  marketSize: 'Large',
  trends: ['Sourdough grows.'],
  competitors: [],
  recommendations: [{ title: 'Open early', priority: 'high' }],
};
const FACT = { category: 'goal', key: 'raise', value: '2M', confidence: 0.9 };
const DROPPED = 'x-service-dropped-params';

// The provider simulates gpt-5: before an answer of 120 tokens it spends 1,408 tokens (gpt-5-mini:
// 700) on reasoning, which count towards the same limit, and it refuses sampling parameters. Each
// model call must succeed at the first attempt.
describe('a system with OPENAI_API_KEY alone', () => {
  let provider: ScriptedProvider;
  let system: TestSystem;
  let client: HttpClient;
  const council = createScriptedCouncil(() => ({
    issues: [{ id: 'i1', proposition: PROPOSITION, weight: 1 }],
    answerOf: () => ({
      content: ANSWER,
      stances: { i1: 1, i2: 1, i3: 1 },
      levers: { priceChange: 2 },
    }),
  }));

  beforeAll(async () => {
    provider = await openScriptedProvider({ fallback: council.script });
    const env = { OPENAI_API_KEY: PROVIDER_KEY, OPENAI_BASE_URL: provider.baseUrl };
    system = await openTestSystem({ env, hasCouncil: true });
    client = createHttpClient(system);
  });
  afterAll(async () => {
    await provider[Symbol.asyncDispose]();
    await system[Symbol.asyncDispose]();
  });

  type Sent = { model: string; max_completion_tokens?: number; reasoning_effort?: string };
  let before = 0;
  beforeEach(() => {
    before = provider.requests.length;
  });
  const sent = (): Sent[] =>
    provider.requests
      .slice(before)
      .filter(({ method }) => method === 'POST')
      .map(({ parsed }) => parsed as Sent);
  /** Sets the next answers of the provider, one for each call. */
  const answer = (...contents: (string | object)[]): void => {
    for (const content of contents) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      provider.script(answerWith({ content: text }));
    }
  };
  const post = async (path: string, body: object, headers = {}): Promise<Answer> => {
    const answered = await client.send(path, {
      body,
      headers: { 'x-api-key': system.apiKey, ...headers },
    });
    expect([path, answered.status < 300, answered.text]).toEqual([path, true, expect.anything()]);
    return answered;
  };
  const firstAgent = async (): Promise<string> => {
    const { json } = await client.send('/v1/agents');
    return (json as { agents: { id: string }[] }).agents[0]!.id;
  };

  it.each([
    ['by default', {}, 1_500],
    ['with maxTokens 100', { maxTokens: 100 }, 100],
  ])('runs a chat, %s', async (_name, options, tokens) => {
    answer(ANSWER, { facts: [FACT] });
    const path = `/v1/agents/${await firstAgent()}/chat`;
    const chat = { message: 'We want to raise 2M.', extraction: { categories: ['goal'] } };
    const { json, headers } = await post(path, { ...chat, options });
    expect(json).toMatchObject({ content: ANSWER, finishReason: 'stop', extracted: [FACT] });
    expect(headers.has(DROPPED)).toBe(false);
    expect(sent()).toMatchObject([
      { model: 'gpt-5', max_completion_tokens: tokens + 8_000 },
      { model: 'gpt-5-mini', max_completion_tokens: 6_000, reasoning_effort: 'low' },
    ]);
  });

  it.each([
    ['plain', {}],
    ['streamed', { accept: 'text/event-stream' }],
  ])('names the dropped temperature in a chat, %s', async (_form, accept) => {
    answer(ANSWER);
    const path = `/v1/agents/${await firstAgent()}/chat`;
    const body = { message: 'How long?', options: { temperature: 0.2 } };
    const answered = await post(path, body, accept);
    expect(answered.headers.get(DROPPED)).toBe('temperature');
    const done = framesOf(answered).find(({ event }) => event === 'done');
    expect(done?.data ?? answered.json).toMatchObject({ content: ANSWER, finishReason: 'stop' });
    expect(sent()).toHaveLength(1);
  });

  it('names the dropped temperature for an agent called as a model', async () => {
    answer(ANSWER);
    const messages = [{ role: 'user', content: 'How long?' }];
    const { json } = await client.send('/v1/agents');
    const { slug } = (json as { agents: { slug: string }[] }).agents[0]!;
    const body = { model: `agent:${slug}`, messages, temperature: 0.2, max_tokens: 120 };
    const answered = await post('/v1/chat/completions', body);
    expect(answered.headers.get(DROPPED)).toBe('temperature');
    expect(answered.json).toMatchObject({ choices: [{ message: { content: ANSWER } }] });
  });

  it.each<[string, object, string]>([
    ['text', {}, ANSWER],
    ['text of at most 120 tokens', { max_tokens: 120, temperature: 0.2 }, ANSWER],
    ['JSON', { json: true, max_tokens: 120 }, '{"a":1}'],
  ])('runs a completion: %s', async (_what, more, content) => {
    answer(content);
    const messages = [{ role: 'user', content: 'Well?' }];
    const body = { systemPrompt: 'Be brief.', messages, ...more };
    const { json, headers } = await post('/v1/ai/complete', body);
    expect(json).toMatchObject({ content, finishReason: 'stop' });
    expect(headers.get(DROPPED)).toBe('temperature' in more ? 'temperature' : null);
    expect(sent()).toHaveLength(1);
  });

  it('runs a debate: all agents answer the framed question, and a model writes the synthesis', async () => {
    const begun = await post('/v1/conversations', { title: 't' });
    const { id } = (begun.json as { conversation: { id: string } }).conversation;
    const asked = await post(`/v1/conversations/${id}/message`, { content: 'Shall we hire?' });
    const debate = asked.json as Debate;
    const answers = debate.messages.filter(({ senderType }) => senderType === 'agent');
    expect(answers.map(({ content }) => content)).toEqual(answers.map(() => ANSWER));
    expect(debate).toMatchObject({ debates: [{ participation: 1 }], convergenceScore: 1 });
    expect(debate.synthesis.consensus).toMatchObject([{ proposition: PROPOSITION }]);
    expect(debate.messages.at(-1)!.content).toContain('The council has weighed it.');
    const kinds = council.calls.map(({ kind }) => kind);
    expect(kinds).toEqual(['frame', ...answers.map(() => 'agent'), 'synthesis']);
    expect(sent()[0]).toMatchObject({ model: 'gpt-5-mini', reasoning_effort: 'low' });
  });

  it('advances a simulation and reports: the panel decides, and a model writes the report', async () => {
    const body = { name: 'North', turnUnit: 'quarter', companyBase: COMPANY };
    const path = '/v1/sim-engine/simulations';
    const made = (await post(path, body)).json as { simulation: { id: string } };
    const one = `${path}/${made.simulation.id}`;
    const { states } = (await post(`${one}/advance`, {})).json as Advanced;
    expect(states).toMatchObject([{ decisions: { fallback: false, absentAgents: [] } }]);
    expect(states[0]!.decisions.levers.priceChange).toBe(2);
    answer(PROSE);
    const { json } = await post(`${one}/finalize`, {});
    expect(json).toMatchObject({ report: PROSE });
  });

  it.each(['quick', 'standard', 'comprehensive'])('runs a market analysis, %s', async (depth) => {
    answer(MARKET);
    const { json } = await post('/v1/market-analysis', { query: 'Bread in Lyon', depth });
    expect(json).toMatchObject({ analysis: { trends: MARKET.trends }, finishReason: 'stop' });
    expect(sent()).toHaveLength(1);
  });
});
