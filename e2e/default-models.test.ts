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
import { createScriptedCouncil } from './scripted-council.ts';

const ANSWER = 'word'.repeat(120);
const PROPOSITION = 'The company should hire now.';
const REPORT = {
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

  type SentBody = { model: string; max_completion_tokens?: number; reasoning_effort?: string };
  let before = 0;
  beforeEach(() => {
    before = provider.requests.length;
  });
  const sentBodies = (): SentBody[] =>
    provider.requests
      .slice(before)
      .filter(({ method }) => method === 'POST')
      .map(({ parsed }) => parsed as SentBody);
  /** Sets the next answers of the provider, one for each call. */
  const scriptAnswers = (...contents: (string | object)[]): void => {
    for (const content of contents) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      provider.script(answerWith({ content: text }));
    }
  };
  const post = async (path: string, body: object, headers = {}): Promise<Answer> => {
    const response = await client.send(path, {
      body,
      headers: { 'x-api-key': system.apiKey, ...headers },
    });
    expect([path, response.status < 300, response.text]).toEqual([path, true, expect.anything()]);
    return response;
  };
  const firstAgentId = async (): Promise<string> => {
    const { json } = await client.send('/v1/agents');
    return (json as { agents: { id: string }[] }).agents[0]!.id;
  };

  it.each([
    ['by default', {}, 1_500],
    ['with maxTokens 100', { maxTokens: 100 }, 100],
  ])('runs a chat, %s', async (_name, options, tokens) => {
    scriptAnswers(ANSWER, { facts: [FACT] });
    const path = `/v1/agents/${await firstAgentId()}/chat`;
    const chat = { message: 'We want to raise 2M.', extraction: { categories: ['goal'] } };
    const { json, headers } = await post(path, { ...chat, options });
    expect(json).toMatchObject({ content: ANSWER, finishReason: 'stop', extracted: [FACT] });
    expect(headers.has(DROPPED)).toBe(false);
    expect(sentBodies()).toMatchObject([
      { model: 'gpt-5', max_completion_tokens: tokens + 8_000 },
      { model: 'gpt-5-mini', max_completion_tokens: 6_000, reasoning_effort: 'low' },
    ]);
  });

  it.each([
    ['plain', {}],
    ['streamed', { accept: 'text/event-stream' }],
  ])('names the dropped temperature in a chat, %s', async (_form, accept) => {
    scriptAnswers(ANSWER);
    const path = `/v1/agents/${await firstAgentId()}/chat`;
    const body = { message: 'How long?', options: { temperature: 0.2 } };
    const response = await post(path, body, accept);
    expect(response.headers.get(DROPPED)).toBe('temperature');
    const done = framesOf(response).find(({ event }) => event === 'done');
    expect(done?.data ?? response.json).toMatchObject({ content: ANSWER, finishReason: 'stop' });
    expect(sentBodies()).toHaveLength(1);
  });

  it('names the dropped temperature for an agent called as a model', async () => {
    scriptAnswers(ANSWER);
    const messages = [{ role: 'user', content: 'How long?' }];
    const { json } = await client.send('/v1/agents');
    const { slug } = (json as { agents: { slug: string }[] }).agents[0]!;
    const body = { model: `agent:${slug}`, messages, temperature: 0.2, max_tokens: 120 };
    const response = await post('/v1/chat/completions', body);
    expect(response.headers.get(DROPPED)).toBe('temperature');
    expect(response.json).toMatchObject({ choices: [{ message: { content: ANSWER } }] });
  });

  it.each<[string, object, string]>([
    ['text', {}, ANSWER],
    ['text of at most 120 tokens', { max_tokens: 120, temperature: 0.2 }, ANSWER],
    ['JSON', { json: true, max_tokens: 120 }, '{"a":1}'],
  ])('runs a completion: %s', async (_name, more, content) => {
    scriptAnswers(content);
    const messages = [{ role: 'user', content: 'Well?' }];
    const body = { systemPrompt: 'Be brief.', messages, ...more };
    const { json, headers } = await post('/v1/ai/complete', body);
    expect(json).toMatchObject({ content, finishReason: 'stop' });
    expect(headers.get(DROPPED)).toBe('temperature' in more ? 'temperature' : null);
    expect(sentBodies()).toHaveLength(1);
  });

  it('runs a debate: all agents answer the framed question, and a model writes the synthesis', async () => {
    const created = await post('/v1/conversations', { title: 't' });
    const { id } = (created.json as { conversation: { id: string } }).conversation;
    const response = await post(`/v1/conversations/${id}/message`, { content: 'Shall we hire?' });
    const debate = response.json as Debate;
    const answers = debate.messages.filter(({ senderType }) => senderType === 'agent');
    expect(answers.map(({ content }) => content)).toEqual(answers.map(() => ANSWER));
    expect(debate).toMatchObject({ debates: [{ participation: 1 }], convergenceScore: 1 });
    expect(debate.synthesis.consensus).toMatchObject([{ proposition: PROPOSITION }]);
    expect(debate.messages.at(-1)!.content).toContain('The council has weighed it.');
    const kinds = council.calls.map(({ kind }) => kind);
    expect(kinds).toEqual(['frame', ...answers.map(() => 'agent'), 'synthesis']);
    expect(sentBodies()[0]).toMatchObject({ model: 'gpt-5-mini', reasoning_effort: 'low' });
  });

  it('advances a simulation and reports: the panel decides, and a model writes the report', async () => {
    const body = { name: 'North', turnUnit: 'quarter', companyBase: COMPANY };
    const path = '/v1/sim-engine/simulations';
    const created = (await post(path, body)).json as { simulation: { id: string } };
    const simulationPath = `${path}/${created.simulation.id}`;
    const { states } = (await post(`${simulationPath}/advance`, {})).json as Advanced;
    expect(states).toMatchObject([{ decisions: { fallback: false, absentAgents: [] } }]);
    expect(states[0]!.decisions.levers.priceChange).toBe(2);
    scriptAnswers(REPORT);
    const { json } = await post(`${simulationPath}/finalize`, {});
    expect(json).toMatchObject({ report: REPORT });
  });

  it.each(['quick', 'standard', 'comprehensive'])('runs a market analysis, %s', async (depth) => {
    scriptAnswers(MARKET);
    const { json } = await post('/v1/market-analysis', { query: 'Bread in Lyon', depth });
    expect(json).toMatchObject({ analysis: { trends: MARKET.trends }, finishReason: 'stop' });
    expect(sentBodies()).toHaveLength(1);
  });
});
