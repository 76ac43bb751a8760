import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answerEmbeddings,
  answerResponseWith,
  answerWith,
  failWith,
  openScriptedProvider,
  respondWith,
  streamFrames,
} from '@witan/testing';
import type { Script, ScriptedProvider } from '@witan/testing';
import { checkChatStream } from './conformance/check-chat-stream.ts';
import { checkSchema } from './conformance/check-schema.ts';
import { CHAT_COMPLETION, CHAT_ERROR } from './conformance/chat-schemas.ts';
import { PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const KEY = 'key-of-the-vendor-5b1f';

/**
 * The entries of docs/providers.md, with the addresses of scripted doubles. Each double answers as
 * its vendor does where that deviates from OpenAI's API; docs/providers.md names the sources.
 */
const entriesFor = ({ port }: Pick<ScriptedProvider, 'port'>) => {
  const origin = `http://127.0.0.1:${port}`;
  const entry = (name: string, path: string, more: object = {}) => ({
    name,
    baseUrl: origin + path,
    keyVariable: 'VENDOR_KEY',
    models: [`${name}-model`],
    ...more,
  });
  return [
    entry('azure', '/openai/v1', { keyHeader: 'api-key' }),
    entry('openrouter', '/api/v1', { dialects: ['chat-completions', 'messages'] }),
    entry('mistral', '/mistral/v1', {
      dialects: ['chat-completions', 'embeddings'],
      outputLimit: 'max_tokens',
      unsupported: ['store', 'stream_options', 'user'],
    }),
    entry('ollama', '/ollama/v1', { keyVariable: undefined, outputLimit: 'max_tokens' }),
    entry('vllm', '/vllm/v1', { dialects: ['chat-completions', 'messages', 'responses'] }),
    entry('gemini', '/v1beta/openai', { unsupported: ['frequency_penalty'] }),
    entry('first', '/first/v1', { models: ['shared-model'] }),
    entry('second', '/second/v1', { models: ['shared-model'] }),
  ];
};

const HEAD = { id: 'c1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' };
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): object => ({
  ...HEAD,
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const ROLE = chunk({ role: 'assistant', content: '' });
const TEXT = chunk({ content: 'pong' });
const END = chunk({}, 'stop');

const call = (name: string, more: object = {}) => ({
  function: { name, arguments: '{"city":"Oslo"}' },
  ...more,
});
const FILTER = { hate: { filtered: false, severity: 'safe' } };
const EMPTY_HEAD = { id: '', object: '', created: 0, model: '' };

type Stream = [vendor: string, deviation: string, frames: (object | string)[], expected: RegExp];

/** Streams whose client must get frames in the form of OpenAI's API, and text in them. */
const STREAMS: Stream[] = [
  [
    'azure',
    'a first chunk without choices',
    [
      { ...EMPTY_HEAD, choices: [], prompt_filter_results: [{ content_filter_results: FILTER }] },
      ...[ROLE, TEXT, END],
    ],
    /prompt_filter_results.*pong/s,
  ],
  [
    'azure',
    'chunks of the content filter without a delta',
    [
      ...[ROLE, TEXT],
      {
        ...EMPTY_HEAD,
        choices: [{ index: 0, finish_reason: null, content_filter_results: FILTER }],
      },
      END,
    ],
    /pong.*content_filter_results/s,
  ],
  [
    'openrouter',
    'comments',
    [': OPENROUTER PROCESSING\n\n', ROLE, ': OPENROUTER PROCESSING\n\n', TEXT, END],
    /pong/,
  ],
  [
    'openrouter',
    'an error after content, with a numeric code',
    [
      ...[ROLE, TEXT],
      chunk({ content: '' }, 'error', { error: { code: 502, message: 'Provider disconnected' } }),
    ],
    /pong.*"code":"502","message":"Provider disconnected","type":"server_error","param":null/s,
  ],
  ['mistral', 'no usage', [ROLE, TEXT, END], /pong/],
  [
    'mistral',
    'the finish reason model_length',
    [ROLE, TEXT, chunk({}, 'model_length')],
    /"finish_reason":"length"/,
  ],
  [
    'ollama',
    'tool calls that all have the index 0, and the finish reason stop',
    [
      ROLE,
      chunk({ tool_calls: [call('weather', { index: 0, id: 'a', type: 'function' })] }),
      chunk({ tool_calls: [call('time', { index: 0, id: 'b', type: 'function' })] }),
      END,
    ],
    /"index":1.*"finish_reason":"tool_calls"/s,
  ],
  [
    'vllm',
    'the finish reason abort',
    [ROLE, TEXT, chunk({}, 'abort')],
    /pong.*"code":"upstream_error"/s,
  ],
  [
    'vllm',
    'an error without the member error',
    [
      ROLE,
      TEXT,
      { object: 'error', message: 'Engine died.', type: 'InternalServerError', code: 500 },
    ],
    /pong.*"error":\{"message":"Engine died.","type":"server_error"/s,
  ],
  [
    'gemini',
    'tool calls without an index',
    [
      chunk({ role: 'assistant', tool_calls: [call('weather', { id: 'a', type: 'function' })] }),
      chunk({ tool_calls: [call('time', { id: 'b', type: 'function' })] }),
      END,
    ],
    /"name":"time".*"index":1.*"finish_reason":"tool_calls"/s,
  ],
  [
    'gemini',
    'a tool call without an id',
    [chunk({ role: 'assistant', tool_calls: [call('weather', { index: 0 })] }), END],
    /"id":"call_0"/,
  ],
];

type Refusal = [vendor: string, shape: string, status: number, body: unknown, message: string];

const REFUSALS: Refusal[] = [
  [
    'openrouter',
    'a numeric code',
    402,
    { error: { code: 402, message: 'Insufficient credits' }, user_id: 'user_2abc' },
    'Insufficient credits',
  ],
  [
    'mistral',
    'a list of invalid members in its message',
    422,
    {
      object: 'error',
      message: { detail: [{ loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }] },
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
    'body.seed: Extra inputs are not permitted',
  ],
  [
    'ollama',
    'a text',
    404,
    { error: 'model "x" not found, try pulling it first' },
    'model "x" not found, try pulling it first',
  ],
  [
    'vllm',
    'no member error',
    400,
    { object: 'error', message: 'Too long.', type: 'BadRequestError', param: null, code: 400 },
    'Too long.',
  ],
  [
    'gemini',
    'a list',
    400,
    [{ error: { code: 400, message: 'Unknown name "x".', status: 'INVALID_ARGUMENT' } }],
    'Unknown name "x".',
  ],
];

const LENIENT = { unknown: 'allowed' } as const;

describe('providers of the providers file', () => {
  let folder: string;
  let vendor: ScriptedProvider;
  let fixture: Fixture;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-providers-'));
    vendor = await openScriptedProvider();
    const file = join(folder, 'providers.json');
    await writeFile(file, JSON.stringify(entriesFor(vendor)));
    fixture = await openFixture({ env: { WITAN_PROVIDERS_FILE: file, VENDOR_KEY: KEY } });
  });
  afterAll(async () => {
    await vendor[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const ask = (name: string, script: Script, body: object = {}): Promise<Answer> => {
    vendor.script(script);
    return fixture.client.complete({ ...PING, model: `${name}-model`, ...body });
  };
  const lastRequest = () => vendor.requests.at(-1)!;

  it.each([
    ['azure', '/openai/v1/chat/completions', { 'api-key': KEY }, ['authorization']],
    ['openrouter', '/api/v1/chat/completions', { authorization: `Bearer ${KEY}` }, ['api-key']],
    ['ollama', '/ollama/v1/chat/completions', {}, ['authorization', 'api-key']],
  ])('are called with their path and key: %s', async (name, path, headers, absent) => {
    const answer = await ask(name, answerWith());
    expect([answer.status, answer.headers.get('x-service-provider')]).toEqual([200, name]);
    expect(lastRequest().path).toBe(path);
    expect(lastRequest().headers).toMatchObject(headers);
    for (const header of absent) expect(lastRequest().headers).not.toHaveProperty(header);
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.egress).toMatchObject({ provider: name, model: `${name}-model` });
  });

  it('keep the client’s dialect if they speak it', async () => {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] };
    const usage = { input_tokens: 1, output_tokens: 1 };
    vendor.script(respondWith({ body: { ...message, stop_reason: 'end_turn', usage } }));
    const body = { ...PING, model: 'openrouter-model', max_tokens: 64, top_k: 3 };
    const answer = await fixture.client.message(body);
    expect([answer.status, lastRequest().path]).toEqual([200, '/api/v1/messages']);
    expect(lastRequest().parsed).toEqual(body);
    expect(lastRequest().headers['anthropic-version']).toBe('2023-06-01');
  });

  it('keep the bytes of the responses dialect if they speak it', async () => {
    vendor.script(answerResponseWith({ text: ['pong'] }));
    const body = { model: 'vllm-model', input: 'ping', truncation: 'auto', custom: 1.0 };
    const answer = await fixture.client.send('/v1/responses', { body });
    expect([answer.status, lastRequest().path]).toEqual([200, '/vllm/v1/responses']);
    expect(lastRequest().parsed).toEqual(body);
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.egress).toMatchObject({ provider: 'vllm', model: 'vllm-model' });
  });

  it.each([false, true])('name who answered after a fallback (streamed: %s)', async (stream) => {
    vendor.script(failWith(503));
    vendor.script(answerWith());
    const answer = await fixture.client.complete({ ...PING, model: 'shared-model', stream });
    expect([answer.status, answer.headers.get('x-service-provider')]).toEqual([200, 'second']);
    const paths = vendor.requests.slice(-2).map(({ path }) => path);
    expect(paths).toEqual(['/first/v1/chat/completions', '/second/v1/chat/completions']);
  });

  it('get the output limit that they know, and no members that they refuse', async () => {
    const body = { max_completion_tokens: 50, store: false, stream: true };
    const answer = await ask('mistral', answerWith(), body);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-service-dropped-params')).toBe('store');
    expect(lastRequest().parsed).toEqual({
      ...PING,
      model: 'mistral-model',
      max_tokens: 50,
      stream: true,
    });
  });

  it('get the same from a client of the messages dialect', async () => {
    vendor.script(answerWith());
    const body = { ...PING, model: 'mistral-model', max_tokens: 64, metadata: { user_id: 'u' } };
    const answer = await fixture.client.message({ ...body, stream: true });
    expect(answer.status).toBe(200);
    expect(Object.keys(lastRequest().parsed as object).toSorted()).toEqual([
      ...['max_tokens', 'messages', 'model', 'stream'],
    ]);
  });

  it.each(STREAMS)('%s may stream %s', async (name, _deviation, frames, expected) => {
    const answer = await ask(name, streamFrames(frames), { stream: true });
    expect(answer.status).toBe(200);
    expect(checkChatStream(answer.text)).toEqual([]);
    expect(answer.text).toMatch(expected);
    const { payload } = await fixture.client.certificateOf(answer);
    const isError = answer.text.includes('"error":{');
    expect(payload.response.finishReason === 'error').toBe(isError);
    expect(payload.response.usage.estimated).toBe(true);
  });

  it.each(REFUSALS)('%s may refuse with %s', async (name, _shape, status, body, message) => {
    const answer = await ask(name, respondWith({ status, body: JSON.stringify(body) }));
    expect(answer.status).toBe(status);
    expect(checkSchema(CHAT_ERROR, answer.json, LENIENT)).toEqual([]);
    expect(answer.json).toMatchObject({ error: { message } });
  });

  it('openrouter may report an error with status 200', async () => {
    const body = { error: { code: 429, message: 'Rate limited upstream' } };
    const answer = await ask('openrouter', respondWith({ body }));
    expect(answer.status).toBe(429);
    expect(answer.json).toMatchObject({ error: { message: 'Rate limited upstream', code: '429' } });
  });

  it('gemini may answer with tool calls without ids', async () => {
    // Gemini also leaves out `refusal`, which is no deviation that a client notices.
    const calls = { content: null, refusal: null, tool_calls: [call('weather')] };
    const message = { role: 'assistant', ...calls };
    const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }];
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    const body = { ...HEAD, object: 'chat.completion', choices, usage };
    const answer = await ask('gemini', respondWith({ body }));
    expect(checkSchema(CHAT_COMPLETION, answer.json, LENIENT)).toEqual([]);
    expect(answer.json).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
  });

  it('make embeddings if their entry lists them', async () => {
    const body = { model: 'mistral-model', input: ['a', 'b'], user: 'u' };
    vendor.script(answerEmbeddings);
    const answer = await fixture.client.send('/v1/embeddings', { body });
    expect([answer.status, answer.headers.get('x-service-provider')]).toEqual([200, 'mistral']);
    expect(answer.headers.get('x-service-dropped-params')).toBe('user');
    expect(lastRequest().path).toBe('/mistral/v1/embeddings');
    expect(lastRequest().parsed).toEqual({ model: 'mistral-model', input: ['a', 'b'] });
    const refused = await fixture.client.send('/v1/embeddings', {
      body: { ...body, model: 'azure-model' },
    });
    expect([refused.status, refused.json]).toMatchObject([400, { error: { param: 'model' } }]);
  });

  it('are listed as owners of their models', async () => {
    const { json } = await fixture.client.send('/v1/models');
    const models = (json as { data: { id: string; owned_by: string }[] }).data;
    expect(models).toContainEqual(
      expect.objectContaining({ id: 'azure-model', owned_by: 'azure' }),
    );
  });
});
