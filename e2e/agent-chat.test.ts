import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commit, commitAnswer } from '@witan/proof';
import {
  answerWith,
  createGate,
  cutBeforeHeaders,
  eventually,
  failWith,
  streamFrames,
  toChatChunks,
} from '@witan/testing';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { createHttpClient, readAnswer } from './http-client.ts';
import type { Answer, HttpClient, RequestOptions } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys, CreatedKey } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const CHAT_OPERATION = 'POST /v1/agents/{id}/chat';
const PERSONA = {
  name: 'Ann',
  role: 'CFO',
  systemPrompt: 'You watch the cash.',
  model: 'gpt-test',
};

const USAGE = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const RATE_LIMIT_ERROR = failWith(429, { headers: { 'retry-after': '7' } });

type Reply = {
  content: string;
  contentParsed: unknown;
  thoughts?: string;
  sessionId: string;
  memoriesSaved: object[];
  extracted: object[];
  tokenUsage: { totalTokens: number };
};
type SentBody = { messages: { role: string; content: string }[] } & Record<string, unknown>;

describe.each(TRANSPORTS)('agent chats, services over %s', (transport) => {
  let fixture: Fixture;
  let keys: Keys;
  let key: CreatedKey;
  let client: HttpClient;
  let expectDocumented: ExpectDocumented;
  let id = '';

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    keys = await openKeys(fixture.system);
    key = await keys.makeKey();
    client = createHttpClient(key);
    expectDocumented = await createExpectDocumented(fixture.client);
    const { json } = await client.send('/v1/agents', { body: PERSONA });
    id = (json as { agent: { id: string } }).agent.id;
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const chatPath = (): string => `/v1/agents/${id}/chat`;
  const send = async (body: object, headers: object = {}): Promise<Answer> => {
    const init: RequestOptions = { body, headers: { 'x-api-key': key.apiKey, ...headers } };
    const answer = await client.send(chatPath(), init);
    expectDocumented(answer, CHAT_OPERATION);
    return answer;
  };
  const chat = async (body: object): Promise<Reply> => {
    const answer = await send(body);
    expect([answer.status, answer.json]).toEqual([200, expect.anything()]);
    return answer.json as Reply;
  };
  const lastRequest = (): SentBody => fixture.calls().at(-1)!.parsed as SentBody;
  const systemPromptOf = ({ messages }: SentBody): string =>
    messages
      .filter(({ role }) => role === 'system' || role === 'developer')
      .map(({ content }) => content)
      .join('\n');
  const parseFrames = ({ text }: Answer): [string, Record<string, unknown>][] =>
    text
      .split('\n\n')
      .map((frame) => /^event: (\w+)\ndata: (.*)$/.exec(frame))
      .flatMap((frame) => (frame ? [[frame[1]!, JSON.parse(frame[2]!) as never]] : []));

  it('return an answer in the persona with a certificate', async () => {
    const body = { message: 'How long?', more: [1] };
    const answer = await send(body);
    expect(answer.json).toEqual({
      agentId: id,
      agentName: 'Ann',
      agentRole: 'CFO',
      content: 'pong',
      contentParsed: null,
      finishReason: 'stop',
      sessionId: expect.stringMatching(/^ses_/),
      memoriesSaved: [],
      extracted: [],
      tokenUsage: { promptTokens: 3, completionTokens: 1, totalTokens: 4 },
      toolCalls: [],
    });
    expect(answer.headers.get('x-service-ignored-fields')).toBe('more');
    expect(systemPromptOf(lastRequest())).toContain(PERSONA.systemPrompt);
    expect(lastRequest()).toMatchObject({ model: 'gpt-test', temperature: 0.8 });
    const { payload } = await client.certificateOf(answer);
    expect(answer.headers.get('x-service-proofs')).toBe(payload.id);
    expect(payload.address).toEqual({ kind: 'agent', agent: 'ann' });
    expect(payload.grounding).toEqual([]);
    expect(payload.request.sha256).toBe(commit(body));
    const content = 'pong';
    expect(payload.response.sha256).toBe(commitAnswer([{ index: 0, content, toolCalls: [] }]));
  });

  it('continue their session with its history', async () => {
    const first = await send({ message: 'First' });
    const { sessionId } = first.json as Reply;
    fixture.provider.script(answerWith({ content: 'Second answer' }));
    const second = await send({ message: 'Second', sessionId });
    expect((second.json as Reply).sessionId).toBe(sessionId);
    const prompt = lastRequest().messages.filter(
      ({ role }) => role !== 'system' && role !== 'developer',
    );
    expect(prompt).toEqual([
      { role: 'user', content: 'First' },
      { role: 'assistant', content: 'pong' },
      { role: 'user', content: 'Second' },
    ]);
    const { json } = await client.send(`/v1/agents/${id}/sessions/${sessionId}`);
    const agentMessage = { senderType: 'agent', agentName: 'Ann' };
    const proofsOf = ({ headers }: Answer) => [headers.get('x-service-proofs')];
    expect((json as { session: object }).session).toEqual({
      id: sessionId,
      title: 'Chat with Ann',
      createdAt: expect.any(String),
      messages: [
        { senderType: 'user', content: 'First' },
        { ...agentMessage, content: 'pong', proofs: proofsOf(first) },
        { senderType: 'user', content: 'Second' },
        { ...agentMessage, content: 'Second answer', proofs: proofsOf(second) },
      ],
    });
    const list = await client.send(`/v1/agents/${id}/sessions?limit=1`);
    const listed = { id: sessionId, _count: { messages: 4 } };
    expect(list.json).toMatchObject({ sessions: [listed] });
  });

  it.each(['plain', 'streamed'])(
    'remove memory tags from a %s answer and save the memories',
    async (form) => {
      const pieces = ['Hi <MEM', 'ORY key="runway" type="fact">nine months</MEM', 'ORY>there'];
      fixture.provider.script(answerWith({ content: pieces }));
      const answer = await send(
        { message: 'Remember' },
        form === 'plain' ? {} : { accept: 'text/event-stream' },
      );
      const frames = parseFrames(answer);
      const reply = (form === 'plain' ? answer.json : frames.at(-1)![1]) as Reply;
      expect(reply.content).toBe('Hi there');
      expect(reply.memoriesSaved).toEqual([{ key: 'runway', value: 'nine months', type: 'fact' }]);
      const deltas = frames.flatMap(([event, { content }]) => (event === 'delta' ? [content] : []));
      expect(deltas.join('')).toBe(form === 'streamed' ? reply.content : '');
      expect(answer.text.replace(/"memoriesSaved":.*/s, '')).not.toContain('nine');
      await chat({ message: 'And now?' });
      expect(systemPromptOf(lastRequest())).toContain('nine months');
    },
  );

  it('save what the person asks to remember if the model writes no tag', async () => {
    const message = 'Please remember: we have two shops.';
    const memoryKey = expect.stringContaining('shops') as unknown;
    const saved = { key: memoryKey, value: 'we have two shops.', type: 'fact' };
    expect(await chat({ message })).toMatchObject({ content: 'pong', memoriesSaved: [saved] });
    const responseFormat = { type: 'json', fields: { verdict: 'yes or no' } };
    fixture.provider.script(answerWith({ content: '{"verdict":"yes"}' }));
    expect(await chat({ message, responseFormat })).toMatchObject({ memoriesSaved: [] });
  });

  it('stream the text as it arrives and end with the whole answer', async () => {
    const gate = createGate();
    fixture.provider.script(answerWith({ content: ['Hold ', 'cash.'] }, { gate }));
    const headers = { 'x-api-key': key.apiKey, accept: 'text/event-stream' };
    const pendingResponse = client.open(chatPath(), { body: { message: 'Well?' }, headers });
    gate.release(2);
    const response = await pendingResponse;
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    gate.open();
    const answer = await readAnswer(response);
    expectDocumented(answer, CHAT_OPERATION);
    const frames = parseFrames(answer);
    expect(frames.map(([event]) => event)).toEqual(['delta', 'delta', 'done']);
    const proof = answer.headers.get('x-service-proof');
    expect(frames.at(-1)![1]).toMatchObject({
      content: 'Hold cash.',
      proofs: [proof],
      memoriesOmitted: 0,
    });
    const { payload } = await client.certificateOf(answer);
    const content = 'Hold cash.';
    expect(payload.response.sha256).toBe(commitAnswer([{ index: 0, content, toolCalls: [] }]));
  });

  it('return JSON in the requested shape with the reasoning beside it', async () => {
    const content = '{"thoughts":"hm","verdict":"hold"}';
    fixture.provider.script(answerWith({ content }));
    const responseFormat = { type: 'json', fields: { verdict: 'hold or spend' } };
    const options = { reflection: true, temperature: 0, maxTokens: 100 };
    const reply = await chat({ message: 'Well?', responseFormat, options });
    expect(reply).toMatchObject({
      content: '{"verdict":"hold"}',
      contentParsed: { verdict: 'hold' },
      thoughts: 'hm',
      memoriesSaved: [],
    });
    expect(JSON.stringify(lastRequest())).toContain('hold or spend');
    expect(lastRequest()).toMatchObject({ temperature: 0 });
  });

  it('send context to the model in this call only, high priority first', async () => {
    const context = [
      { category: 'notes', data: 'low words', priority: 'low' },
      { category: 'crm', label: 'Customer', data: { seats: 40 }, priority: 'high' },
    ];
    const { sessionId } = await chat({ message: 'Well?', context });
    const system = systemPromptOf(lastRequest());
    expect(system.indexOf('"seats": 40')).toBeGreaterThan(0);
    expect(system.indexOf('low words')).toBeGreaterThan(system.indexOf('"seats": 40'));
    expect(system).toContain('Customer');
    await chat({ message: 'Again?', sessionId });
    expect(JSON.stringify(lastRequest())).not.toContain('seats');
  });

  it('extract facts from the message and store them unless disabled', async () => {
    const facts = [{ category: 'goal', key: 'raise', value: '2M', confidence: 0.9 }];
    const chatWithExtraction = async (extraction: object): Promise<Reply> => {
      fixture.provider.script(answerWith());
      fixture.provider.script(answerWith({ content: JSON.stringify({ facts }), usage: USAGE }));
      return await chat({ message: 'We want to raise 2M', extraction });
    };
    const source = `agent_chat:${id}`;
    const readStoredFacts = async (): Promise<unknown> =>
      (await client.send(`/v1/ai/extracted-data?source=${source}`)).json;
    const reply = await chatWithExtraction({ categories: ['goal'], persist: false });
    expect(reply.extracted).toEqual(facts);
    expect(reply.tokenUsage.totalTokens).toBe(8);
    expect(await readStoredFacts()).toEqual({ data: [], count: 0 });
    await chatWithExtraction({ categories: ['goal'] });
    expect(await readStoredFacts()).toMatchObject({ data: [{ source, ...facts[0] }], count: 1 });
  });

  it.each([
    ['rejects the call', failWith(400), 400, 'provider_rejected', null],
    ['is rate limited', RATE_LIMIT_ERROR, 429, 'provider_rate_limited', '7'],
    ['fails', failWith(500), 502, 'provider_error', null],
    ["refuses the gateway's key", failWith(401), 502, 'provider_error', null],
  ])(
    'fail and store nothing when the provider %s',
    async (_name, script, status, code, expectedRetryAfter) => {
      const { json: sessionsBefore } = await client.send(`/v1/agents/${id}/sessions`);
      for (const accept of ['application/json', 'text/event-stream']) {
        fixture.provider.script(script);
        const answer = await send({ message: 'Well?' }, { accept });
        const { error } = answer.json as { error: { code: string } };
        const retryAfter = answer.headers.get('retry-after');
        expect([answer.status, error.code, retryAfter]).toEqual([status, code, expectedRetryAfter]);
      }
      expect((await client.send(`/v1/agents/${id}/sessions`)).json).toEqual(sessionsBefore);
    },
  );

  it('fail when the provider is cut off, with an error event after the stream has started', async () => {
    fixture.provider.script(cutBeforeHeaders());
    expect((await send({ message: 'Well?' })).status).toBe(502);
    const chunks = toChatChunks({ content: ['Hold ', 'cash.'] });
    fixture.provider.script(streamFrames(chunks, { cutAfter: 2 }));
    const answer = await send({ message: 'Well?' }, { accept: 'text/event-stream' });
    const frames = parseFrames(answer);
    expect([answer.status, ...frames.map(([event]) => event)]).toEqual([200, 'delta', 'error']);
    const requestId = answer.headers.get('x-request-id');
    expect(frames[1]![1]).toMatchObject({ error: { code: 'provider_error', requestId } });
  });

  it('abort the provider call when the client disconnects, and are certified as aborted', async () => {
    const callNumber = fixture.provider.requests.length + 1;
    const gate = createGate();
    fixture.provider.script(answerWith({ content: ['Hold ', 'cash.'] }, { gate }));
    gate.release(2);
    const controller = new AbortController();
    const headers = { 'x-api-key': key.apiKey, accept: 'text/event-stream' };
    const body = { message: 'Well?' };
    const response = await client.open(chatPath(), { body, headers, signal: controller.signal });
    const reader = response.body!.getReader();
    await reader.read();
    controller.abort();
    expect((await fixture.provider.whenAborted(callNumber)).aborted).toBe(true);
    const proof = response.headers.get('x-service-proof')!;
    const certificate = await eventually(async () => {
      const answer = await client.send(`/v1/proofs/${proof}`);
      return answer.status === 200 && (answer.json as { payload: { response: object } });
    }, 'the certificate of the chat that was left');
    expect(certificate.payload.response).toMatchObject({ finishReason: 'aborted' });
    await reader.cancel().catch(() => {});
  });

  it('run once for all calls with one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': `chat-${transport}` };
    const callsBefore = fixture.calls().length;
    const first = await send({ message: 'Once' }, headers);
    const second = await send({ message: 'Once' }, headers);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers.get('x-service-proof')).toBe(first.headers.get('x-service-proof'));
    expect(fixture.calls()).toHaveLength(callsBefore + 1);
  });

  it('run every time when they are streamed', async () => {
    const headers = { 'idempotency-key': `stream-${transport}`, accept: 'text/event-stream' };
    const callsBefore = fixture.calls().length;
    const first = await send({ message: 'Once' }, headers);
    const second = await send({ message: 'Once' }, headers);
    expect(second.headers.has('idempotency-replayed')).toBe(false);
    expect(second.headers.get('x-service-proof')).not.toBe(first.headers.get('x-service-proof'));
    expect(fixture.calls()).toHaveLength(callsBefore + 2);
  });

  it('are refused in unknown sessions', async () => {
    for (const sessionId of ['ses_none', 'none']) {
      const { json, status } = await send({ message: 'Well?', sessionId });
      const { error } = json as { error: { code: string; param: string } };
      expect([status, error.code, error.param]).toEqual([404, 'not_found', 'sessionId']);
    }
  });
});
