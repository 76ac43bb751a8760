import { describe, expect, it } from '@jest/globals';
import { createTestPrivacy } from '../../test/masking.ts';
import { DEFAULT_PRIVACY } from '../masking/privacy-settings.ts';
import type { CompleteRequest, WireBody } from '@witan/contracts';
import { makeAddress, neutralRequest, userTurn, wireRequest } from '../../test/requests.ts';
import { makeSettings, showTarget } from '../../test/route-settings.ts';
import { planCall as planParsedCall, readWireBody } from './plan.ts';
import { toCompletionCall } from './rpc/completions.ts';
import type { ChoicesFor } from '../routing/choices.ts';

const wireOf = (dialect: string, text: string): WireBody =>
  ({ dialect, json: Buffer.from(text), headers: {}, query: '' }) as Partial<WireBody> as WireBody;

describe('readWireBody', () => {
  it('parses a body with its dialect', () => {
    const text =
      '{"model":"m","max_tokens":5,"messages":[],"thinking":{"type":"enabled","budget_tokens":3}}';
    const input = readWireBody(wireOf('messages', text));
    expect(input).toMatchObject({
      form: 'wire',
      dialect: { name: 'messages' },
      body: { text, value: { model: 'm' } },
      summary: { model: 'm', outputLimits: { max_tokens: 5 }, thinkingBudget: 3 },
    });
  });

  it.each([
    ['an unknown dialect', 'completions', '{}'],
    ['a dialect named like an inherited property', 'constructor', '{}'],
    ['a body that is not JSON', 'chat-completions', '{'],
    ['a body that is a list', 'chat-completions', '[]'],
    ['an empty body', 'messages', ''],
  ])('rejects %s', (_name, dialect, text) => {
    expect(() => readWireBody(wireOf(dialect, text))).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST' }),
    );
  });
});

const planCall = async (
  request: CompleteRequest,
  ...rest: Parameters<typeof planParsedCall> extends [unknown, ...infer R] ? R : never
) => await planParsedCall(toCompletionCall(request), ...rest);

describe('planCall', () => {
  const lookups: string[] = [];
  const choicesFor: ChoicesFor = async (workspaceId, model) => {
    lookups.push(`${workspaceId} ${model}`);
    return { settings: makeSettings(), privacy: DEFAULT_PRIVACY, accessTo: () => ({}) as never };
  };
  const deps = { choicesFor, privacy: createTestPrivacy() };
  const { signal } = new AbortController();

  it('uses the models of the workspace', async () => {
    const { route, summary } = await planCall(
      wireRequest('messages'),
      { workspaceId: 'ws_b', signal },
      deps,
    );
    expect(lookups).toEqual(['ws_b chain']);
    expect(summary.address.model).toBe('chain');
    expect(route.targets.map(showTarget)).toEqual(['openai/gpt-cheap']);
    expect(route).toMatchObject({ taskType: 'chat', reason: 'default_provider' });
  });

  it('chooses the same route for the same content in every form', async () => {
    const code = 'Fix the bug in this code.';
    const messages = [{ role: 'user', content: code }];
    for (const request of [
      wireRequest('chat-completions', { messages }),
      wireRequest('messages', { messages }),
      neutralRequest({ turns: [userTurn(code)] }),
    ]) {
      const { route } = await planCall(request, { workspaceId: 'ws_a', signal }, deps);
      expect(route.taskType).toBe('code');
      expect(route.targets.map(showTarget)).toEqual(['openai/gpt-full']);
    }
  });

  it('uses the model that an agent prefers', async () => {
    const address = makeAddress({
      requested: 'agent:ann',
      kind: 'agent',
      agent: 'ann',
      model: 'o3',
    });
    const request = neutralRequest({}, { address, grounding: {} });
    const call = await planCall(request, { workspaceId: 'ws_a', signal }, deps);
    expect(lookups.at(-1)).toBe('ws_a o3');
    expect(call.route.targets.map(showTarget)).toEqual(['openai/o3']);
    expect(call.summary.address).toEqual(address);
    expect(call.summary.grounding).toMatchObject({ passages: [] });
  });

  it.each([
    ['an agent that prefers a route', { kind: 'agent', agent: 'ann', model: 'service-auto' }],
    ['an agent without a preference', { kind: 'agent', agent: 'ann', model: '' }],
  ])('looks up no model name for %s', async (_name, output) => {
    const request = neutralRequest({}, { address: makeAddress(output), grounding: {} });
    await planCall(request, { workspaceId: 'ws_a', signal }, deps);
    expect(lookups.at(-1)).toBe('ws_a ');
  });

  it('uses the purpose that a service states', async () => {
    const address = makeAddress({ kind: 'service-auto' });
    const request = neutralRequest({}, { address, purpose: 'extraction' });
    const { route } = await planCall(request, { workspaceId: 'ws_a', signal }, deps);
    expect(route).toMatchObject({ taskType: 'extraction', reason: 'simple' });
    expect(route.targets.map(showTarget)).toEqual(['openai/gpt-small']);
  });

  it.each([
    ['an unknown purpose', { purpose: 'fun' }],
    ['an agent without grounding', { address: makeAddress({ kind: 'agent', agent: 'ann' }) }],
    ['knowledge without grounding', { address: makeAddress({ knowledge: true }) }],
    ['a plain model with grounding', { grounding: {} }],
  ])('rejects %s', async (_name, output) => {
    const plan = planCall(neutralRequest({}, output), { workspaceId: 'ws_a', signal }, deps);
    await expect(plan).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
  });

  it.each([
    ['chat-completions', true],
    ['chat-completions', false],
    ['messages', true],
  ] as const)('records how a client of %s reads a stream: usage %s', async (dialect, usage) => {
    const body = { stream: true, ...(usage ? { stream_options: { include_usage: true } } : {}) };
    const request = wireRequest(dialect, body, { answerProofId: 'pf_answer' });
    const { summary } = await planCall(request, { workspaceId: 'ws_a', signal }, deps);
    expect(summary).toMatchObject({
      client: dialect,
      isStreamed: true,
      wantsUsage: usage,
      wantsJson: false,
      announcedId: 'pf_answer',
      requestSha256: request.requestSha256,
    });
  });

  it('estimates the prompt tokens', async () => {
    const text = 'word '.repeat(400);
    const messages = [{ role: 'user', content: text }];
    const wire = await planCall(
      wireRequest('messages', { messages }),
      { workspaceId: 'ws_a', signal },
      deps,
    );
    const neutral = await planCall(
      neutralRequest({ turns: [userTurn(text)] }),
      { workspaceId: 'ws_a', signal },
      deps,
    );
    expect(neutral.summary.promptTokens).toBe(500);
    expect(wire.summary.promptTokens).toBeGreaterThanOrEqual(500);
    expect(wire.summary.promptTokens).toBeLessThan(550);
  });

  it('estimates 1,600 tokens for each image, also in tool results, and the text of documents', async () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AA' },
    };
    const result = { type: 'tool_result', tool_use_id: 'tu_1', content: [image] };
    const messages = [
      { role: 'user', content: [image, image] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'tu_1', name: 'f', input: {} }] },
      { role: 'user', content: [result] },
    ];
    const wire = await planCall(
      wireRequest('messages', { messages }),
      { workspaceId: 'ws_a', signal },
      deps,
    );
    expect(wire.summary.promptTokens).toBeGreaterThanOrEqual(3 * 1_600);
    expect(wire.summary.promptTokens).toBeLessThan(3 * 1_600 + 10);
    const source = { case: 'text' as const, value: 'word '.repeat(400) };
    const document = { case: 'document' as const, value: { media: { source } } };
    const picture = { part: { case: 'image' as const, value: {} } };
    const found = { case: 'toolResult' as const, value: { toolCallId: 'tu_1', parts: [picture] } };
    const turns = [{ role: 'user', parts: [{ part: found }, picture, { part: document }] }];
    const neutral = await planCall(
      neutralRequest({ turns }),
      { workspaceId: 'ws_a', signal },
      deps,
    );
    expect(neutral.summary.promptTokens).toBe(500 + 2 * 1_600);
  });
});
