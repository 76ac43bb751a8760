import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerWith, eventually, openReceiver } from '@witan/testing';
import type { ChatAnswer, Receiver, Responder } from '@witan/testing';
import { countReservations } from './count-reservations.ts';
import { CHAT, MESSAGES } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

type ToolCall = { id: string; status: string; arguments: unknown; error: string | null };
type Reply = { content: string; toolCalls: ToolCall[] };
type LedgerEntry = { certificateId: string | null; amount: number };

const respondWithJson =
  (json: string, before: () => Promise<unknown> = async () => {}): Responder =>
  (_requestIndex, response) => {
    void before().then(() => response.writeHead(200).end(json));
    return 'wait';
  };

describe.each(TRANSPORTS)('failures of agent tools, services over %s', (transport) => {
  let fixture: Fixture;
  let receiver: Receiver;
  let agentCount = 0;

  beforeAll(async () => {
    receiver = await openReceiver();
    const env = { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1', WITAN_MODEL_FULL: 'gpt-full' };
    fixture = await openFixture({ transport, env });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const createAgentWithTool = async (responder: Responder) => {
    const name = `rate_${(agentCount += 1)}`;
    receiver.respond(`/${name}`, responder);
    const persona = { name: `Agent ${agentCount}`, systemPrompt: 'You hedge.' };
    const { json: agent } = await fixture.client.send('/v1/agents', { body: persona });
    const { id: agentId, slug } = (agent as { agent: { id: string; slug: string } }).agent;
    const body = {
      name,
      description: 'A rate',
      parameters: { type: 'object' },
      url: receiver.urlOf(`/${name}`),
      agentIds: [agentId],
    };
    const { json: tool } = await fixture.client.send('/v1/tools', { body });
    const { id: toolId } = (tool as { tool: { id: string } }).tool;
    return { agentId, slug, toolId, name, requests: () => receiver.requestsOf(`/${name}`) };
  };
  const script = (...answers: ChatAnswer[]): void =>
    answers.forEach((one) => fixture.provider.script(answerWith(one)));
  const toToolCalls = (name: string, text = '{}') => ({ toolCalls: [{ name, arguments: text }] });
  const chat = async (agentId: string): Promise<Reply> => {
    const body = { message: 'Hedge?', tools: { enabled: true } };
    const { status, json, text } = await fixture.client.send(`/v1/agents/${agentId}/chat`, {
      body,
    });
    expect([status, text]).toEqual([200, expect.any(String)]);
    return json as Reply;
  };

  const chatBody = { message: 'Hedge?', tools: { enabled: true } };
  const messages = [{ role: 'user', content: 'Hedge?' }];
  type CreatedAgent = Awaited<ReturnType<typeof createAgentWithTool>>;
  it.each<[string, (agent: CreatedAgent) => { path: string; body: object; accept?: string }]>([
    ['a chat', ({ agentId }) => ({ path: `/v1/agents/${agentId}/chat`, body: chatBody })],
    [
      'a streamed chat',
      ({ agentId }) => ({
        path: `/v1/agents/${agentId}/chat`,
        body: chatBody,
        accept: 'text/event-stream',
      }),
    ],
    [
      'a streamed chat completion',
      ({ slug }) => ({ path: CHAT, body: { model: `agent:${slug}`, messages, stream: true } }),
    ],
    [
      'a streamed message',
      ({ slug }) => ({
        path: MESSAGES,
        body: { model: `agent:${slug}`, messages, stream: true, max_tokens: 100 },
      }),
    ],
  ])(
    'abort the tool call when the client of %s disconnects, and charge the round',
    async (_name, toRequest) => {
      const agent = await createAgentWithTool(() => 'wait');
      const before = (await fixture.client.listCertificates()).length;
      script(toToolCalls(agent.name));
      const { path, body, accept = '*/*' } = toRequest(agent);
      const headers = { 'x-api-key': fixture.system.apiKey, accept };
      const controller = new AbortController();
      const abortedCall = fixture.client
        .send(path, { body, headers, signal: controller.signal })
        .catch((error: unknown) => String(error));
      const request = await eventually(async () => agent.requests()[0], 'the call of the tool');
      const toolCallClosed = new Promise((resolve) => request.response.once('close', resolve));
      controller.abort();
      expect(await abortedCall).toContain('abort');
      await toolCallClosed;
      const findAllEnded = async () =>
        (await countReservations(fixture.system, 'held')) === 0 ? true : undefined;
      await eventually(findAllEnded, 'the end of every reservation');
      const [round, ...otherCertificates] = (await fixture.client.listCertificates()).slice(before);
      expect(otherCertificates).toEqual([]);
      expect(round!.payload).toMatchObject({
        id: expect.stringMatching(/^pf_\w+t1$/),
        response: { finishReason: 'tool_calls', usage: { totalTokens: 4 } },
      });
      const { json: ledgerEntries } = await fixture.client.send('/v1/ledger/entries?limit=500');
      const { entries } = ledgerEntries as { entries: LedgerEntry[] };
      const ids = entries.map(({ certificateId }) => certificateId);
      expect(ids).toContain(round!.payload.id);
      const { json: sessions } = await fixture.client.send(`/v1/agents/${agent.agentId}/sessions`);
      expect(sessions).toEqual({ sessions: [] });
    },
  );

  it.each<[string, (agent: CreatedAgent) => { path: string; method: string; body?: object }]>([
    [
      'unlinked from the agent',
      ({ agentId, toolId }) => ({
        path: `/v1/agents/${agentId}/tools/${toolId}`,
        method: 'DELETE',
      }),
    ],
    ['deleted', ({ toolId }) => ({ path: `/v1/tools/${toolId}`, method: 'DELETE' })],
    [
      'deactivated',
      ({ toolId }) => ({
        path: `/v1/tools/${toolId}`,
        method: 'PATCH',
        body: { isActive: false },
      }),
    ],
  ])('do not call a tool again after it was %s during the turn', async (_name, toRequest) => {
    let changeTool = async (): Promise<unknown> => undefined;
    const agent = await createAgentWithTool(respondWithJson('{"rate":1}', () => changeTool()));
    changeTool = async () => {
      const { path, ...init } = toRequest(agent);
      const { status } = await fixture.client.send(path, init);
      expect(status).toBeLessThan(300);
    };
    script(toToolCalls(agent.name, '{"a":1}'), toToolCalls(agent.name, '{"a":2}'), {
      content: 'Done.',
    });
    const { content, toolCalls } = await chat(agent.agentId);
    expect(content).toBe('Done.');
    expect(toolCalls).toMatchObject([
      { status: 'ok', error: null },
      { status: 'error', error: 'The tool is not there any more.' },
    ]);
    expect(agent.requests()).toHaveLength(1);
  });

  it.each<[string, Responder, RegExp]>([
    ['10 MB', respondWithJson(`"${'x'.repeat(10_000_000)}"`), /more than can be taken/],
    ['an HTML page', respondWithJson('<html>'), /not with JSON/],
    ['a redirect', () => 302, /302, a redirect/],
  ])('continue the turn when a tool returns %s', async (_name, responder, errorPattern) => {
    const agent = await createAgentWithTool(responder);
    script(toToolCalls(agent.name), { content: 'Done.' });
    const { content, toolCalls } = await chat(agent.agentId);
    expect([content, toolCalls]).toMatchObject([
      'Done.',
      [{ status: 'error', error: expect.stringMatching(errorPattern) }],
    ]);
  });

  it.each([
    ['nested 30,000 levels deep', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['a list', '[1,2]'],
    ['truncated', '{"a":'],
    ['not valid Unicode', '{"a":"\\ud83d"}'],
  ])('continue the turn when a model sends arguments that are %s', async (_name, text) => {
    const agent = await createAgentWithTool(respondWithJson('{}'));
    script(toToolCalls(agent.name, text), { content: 'Done.' });
    const { content, toolCalls } = await chat(agent.agentId);
    expect([content, toolCalls.length]).toEqual(['Done.', 1]);
  });

  it('continue the turn when a model calls a name with characters that providers reject', async () => {
    const agent = await createAgentWithTool(respondWithJson('{}'));
    const before = fixture.calls().length;
    script(toToolCalls(`functions.${agent.name}`), { content: 'Done.' });
    const { toolCalls } = await chat(agent.agentId);
    expect(toolCalls).toMatchObject([{ status: 'error', toolId: null }]);
    const second = fixture.calls()[before + 1]!.parsed as { messages: { tool_calls?: object[] }[] };
    expect(second.messages.flatMap((message) => message.tool_calls ?? [])).toMatchObject([
      { function: { name: `functions_${agent.name}` } },
    ]);
  });

  it('treat arguments named like members of prototypes as plain data', async () => {
    const agent = await createAgentWithTool(
      respondWithJson('{"__proto__":{"isAdmin":true},"constructor":1}'),
    );
    script(toToolCalls(agent.name, '{"__proto__":{"a":1},"constructor":2}'), { content: 'Done.' });
    const { toolCalls } = await chat(agent.agentId);
    const [request] = agent.requests();
    expect(request!.body.toString()).toBe(
      `{"tool":"${agent.name}","arguments":{"__proto__":{"a":1},"constructor":2}}`,
    );
    expect(toolCalls).toMatchObject([{ status: 'ok' }]);
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });

  it('count tool calls by outcome', async () => {
    const count = async (outcome: string): Promise<number> => {
      const admin = fixture.system.adminUrls.agents!;
      const text = await (await fetch(`${admin}/metrics`)).text();
      expect(text).toContain('agents_tool_call_seconds_bucket{le="15"}');
      const pattern = new RegExp(`^agents_tool_calls_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm');
      return Number(pattern.exec(text)?.[1] ?? 0);
    };
    const [okCount, errorCount] = [await count('ok'), await count('error')];
    const agent = await createAgentWithTool((index, response) => {
      response.writeHead(index === 0 ? 200 : 500).end('{}');
      return 'wait';
    });
    script(toToolCalls(agent.name, '{"a":1}'), toToolCalls(agent.name, '{"a":2}'), {
      content: 'Done.',
    });
    await chat(agent.agentId);
    expect([await count('ok'), await count('error')]).toEqual([okCount + 1, errorCount + 1]);
  });
});
