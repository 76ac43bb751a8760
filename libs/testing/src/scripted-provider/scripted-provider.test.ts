import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI, {
  APIConnectionError,
  AuthenticationError,
  InternalServerError,
  RateLimitError,
} from 'openai';
import {
  answerWith,
  cutBeforeHeaders,
  cutMidBody,
  failWith,
  failWithHtml,
  neverAnswer,
  respondWith,
} from './answer-scripts.ts';
import { toChatChunks } from './chat-answer.ts';
import { createGate } from './gate.ts';
import { openScriptedProvider, type ScriptedProvider } from './open-scripted-provider.ts';
import { type Frame, streamFrames } from './stream-frames.ts';

const body = { model: 'any', messages: [{ role: 'user' as const, content: 'ping' }] };

let provider: ScriptedProvider;
let client: OpenAI;

beforeEach(async () => {
  provider = await openScriptedProvider({ models: ['one', 'two'] });
  client = new OpenAI({ apiKey: 'sk-scripted', baseURL: provider.baseUrl, maxRetries: 0 });
});

afterEach(async () => {
  await provider[Symbol.asyncDispose]();
});

const complete = (signal?: AbortSignal): Promise<OpenAI.ChatCompletion> =>
  client.chat.completions.create(body, { signal });

async function readStream(): Promise<string> {
  const stream = await client.chat.completions.create({ ...body, stream: true });
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  return text;
}

describe('a scripted provider without a script', () => {
  it('answers pong in one piece and streamed', async () => {
    expect((await complete()).choices[0]?.message.content).toBe('pong');
    expect(await readStream()).toBe('pong');
  });

  it('lists its models', async () => {
    const names = [];
    for await (const { id } of client.models.list()) names.push(id);
    expect(names).toEqual(['one', 'two']);
  });

  it('adds the usage chunk on request', async () => {
    const stream = client.chat.completions.stream({
      ...body,
      stream_options: { include_usage: true },
    });
    expect((await stream.finalChatCompletion()).usage?.total_tokens).toBe(4);
  });

  it('returns 404 for other paths', async () => {
    await expect(client.moderations.create({ input: 'y' })).rejects.toThrow('No such path');
  });

  it('records method, path, headers and the exact bytes', async () => {
    const text = '{ "model":"m",  "n": 12345678901234567890 }';
    const sent = await fetch(`${provider.baseUrl}/chat/completions?beta=true`, {
      method: 'POST',
      headers: { 'x-own': 'yes' },
      body: text,
    });
    expect(sent.status).toBe(200);
    const [request] = provider.requests;
    expect(request).toMatchObject({ number: 1, method: 'POST', aborted: false });
    expect(request?.path).toBe('/v1/chat/completions?beta=true');
    expect(request?.headers['x-own']).toBe('yes');
    expect(request?.body.toString()).toBe(text);
    expect(request?.parsed).toMatchObject({ model: 'm' });
  });
});

describe('a scripted answer', () => {
  it('is sent for one request only, in order', async () => {
    provider.script(answerWith({ content: 'first' }));
    provider.script(answerWith({ content: ['sec', 'ond'] }));
    expect((await complete()).choices[0]?.message.content).toBe('first');
    expect(await readStream()).toBe('second');
    expect(await readStream()).toBe('pong');
  });

  it('calls tools, in one piece and streamed', async () => {
    const toolCalls = [{ name: 'add', arguments: '{"a":1}' }];
    provider.script(answerWith({ toolCalls }));
    provider.script(answerWith({ toolCalls }));
    const plain = await complete();
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    for (const { choices } of [plain, streamed]) {
      expect(choices[0]?.finish_reason).toBe('tool_calls');
      expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({
        function: { arguments: '{"a":1}' },
      });
    }
  });

  it('carries unknown fields at every depth', async () => {
    const extra = {
      top: 1,
      choices: [{ message: { reasoning_content: 'hm' }, deep: { er: [2] } }],
    };
    provider.script(answerWith({ extra }));
    expect(await complete()).toMatchObject({
      top: 1,
      choices: [{ message: { content: 'pong', reasoning_content: 'hm' }, deep: { er: [2] } }],
    });
  });

  it('sends exact bytes: CRLF, comments, and one byte at a time', async () => {
    const frames: Frame[] = [': hello\r\n\r\n', ...toChatChunks({ content: ['pö', 'ng'] })];
    provider.script(streamFrames(frames, { lineEnd: '\r\n', byteByByte: true }));
    const response = await fetch(`${provider.baseUrl}/chat/completions`, { method: 'POST' });
    const text = await response.text();
    expect(text.startsWith(': hello\r\n\r\ndata: {')).toBe(true);
    expect(text.endsWith('}\r\n\r\ndata: [DONE]\r\n\r\n')).toBe(true);
    provider.script(streamFrames(frames, { lineEnd: '\r\n', byteByByte: true }));
    expect(await readStream()).toBe('pöng');
  });

  it('sends no frame before the test releases it', async () => {
    const gate = createGate();
    provider.script(answerWith({ content: ['a', 'b'] }, { gate }));
    const stream = await client.chat.completions.create({ ...body, stream: true });
    const chunks = stream[Symbol.asyncIterator]();
    const first = chunks.next();
    gate.release();
    expect((await first).value).toMatchObject({ choices: [{ delta: { role: 'assistant' } }] });
    gate.release();
    expect((await chunks.next()).value).toMatchObject({ choices: [{ delta: { content: 'a' } }] });
    gate.open();
    expect((await chunks.next()).value).toMatchObject({ choices: [{ delta: { content: 'b' } }] });
  });

  it('delays the first byte until the test releases it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.script(answerWith({}, { after: promise }));
    const answer = complete();
    const request = await provider.whenRequest(1);
    expect(request.closedAt).toBeUndefined();
    resolve();
    expect((await answer).choices[0]?.message.content).toBe('pong');
  });

  it('can be scripted for one path', async () => {
    provider.script(respondWith({ status: 500, body: {} }), { path: '/v1/models' });
    expect((await complete()).object).toBe('chat.completion');
    await expect(client.models.list()).rejects.toThrow(InternalServerError);
  });
});

describe('a scripted failure', () => {
  it('makes the client throw the error class of its status', async () => {
    provider.script(
      failWith(429, { headers: { 'retry-after': '7' }, code: 'rate_limit_exceeded' }),
    );
    provider.script(failWith(401));
    provider.script(failWith(500));
    provider.script(failWithHtml());
    const rateLimitError = await complete().catch((error: unknown) => error);
    expect(rateLimitError).toBeInstanceOf(RateLimitError);
    expect((rateLimitError as RateLimitError).headers?.get('retry-after')).toBe('7');
    expect((rateLimitError as RateLimitError).code).toBe('rate_limit_exceeded');
    await expect(complete()).rejects.toThrow(AuthenticationError);
    await expect(complete()).rejects.toThrow(InternalServerError);
    await expect(complete()).rejects.toMatchObject({ status: 502 });
  });

  it('cuts the connection before headers and inside a body', async () => {
    provider.script(cutBeforeHeaders());
    provider.script(cutMidBody());
    await expect(complete()).rejects.toThrow(APIConnectionError);
    await expect(complete()).rejects.toThrow('terminated');
    await Promise.allSettled([provider.whenAborted(1), provider.whenAborted(2)]);
    expect(provider.requests.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  it('cuts a stream after the given number of frames', async () => {
    provider.script(answerWith({ content: ['a', 'b', 'c'] }, { cutAfter: 3 }));
    const stream = await client.chat.completions.create({ ...body, stream: true });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const chunk of stream) seen.push(chunk.choices[0]?.delta.content);
    })();
    await expect(reading).rejects.toThrow('terminated');
    expect(seen).toEqual(['', 'a', 'b']);
  });
});

describe('a client that disconnects', () => {
  it('is detected before the headers', async () => {
    provider.script(neverAnswer());
    const clientAbort = new AbortController();
    const answer = complete(clientAbort.signal).catch((error: unknown) => error);
    await provider.whenRequest(1);
    clientAbort.abort();
    await answer;
    expect((await provider.whenAborted(1)).aborted).toBe(true);
  });

  it('is detected before the first frame', async () => {
    provider.script(neverAnswer({ sendHeaders: true }));
    const stream = await client.chat.completions.create({ ...body, stream: true });
    stream.controller.abort();
    expect((await provider.whenAborted(1)).aborted).toBe(true);
  });

  it('is detected during the stream', async () => {
    const gate = createGate();
    provider.script(answerWith({}, { gate }));
    gate.release(2);
    const stream = await client.chat.completions.create({ ...body, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'po') break;
    const { aborted, closedAt } = await provider.whenAborted(1);
    expect([aborted, typeof closedAt]).toEqual([true, 'number']);
  });

  it('cannot be awaited if the response was completed', async () => {
    const aborted = provider.whenAborted(1).catch((error: unknown) => String(error));
    await complete();
    expect(await aborted).toContain('without a client disconnect');
  });
});

describe('closing a scripted provider', () => {
  it('ends hanging responses and rejects pending waits', async () => {
    const other = await openScriptedProvider({ fallback: neverAnswer() });
    const hangingRequest = fetch(`${other.baseUrl}/chat/completions`, { method: 'POST' });
    await other.whenRequest(1);
    const pendingWait = other.whenRequest(2).catch((error: unknown) => error);
    const requestError = hangingRequest.catch((error: unknown) => error);
    await other[Symbol.asyncDispose]();
    expect(Error.isError(await requestError)).toBe(true);
    expect(String(await pendingWait)).toContain('was never received');
    expect(other.requests[0]?.aborted).toBe(false);
  });

  it('throws the errors of scripts', async () => {
    const other = await openScriptedProvider();
    other.script(() => Promise.reject(new Error('A mistake in the test.')));
    await fetch(`${other.baseUrl}/chat/completions`, { method: 'POST' }).catch(() => undefined);
    await expect(other[Symbol.asyncDispose]()).rejects.toThrow('A script of the scripted provider');
  });
});
