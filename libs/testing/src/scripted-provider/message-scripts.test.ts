import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGate } from './gate.ts';
import { toMessageEvents } from './message-answer.ts';
import {
  answerMessageWith,
  countTokensWith,
  failMessageWith,
  streamMessageEvents,
  toMessageError,
} from './message-scripts.ts';
import { openScriptedProvider, type ScriptedProvider } from './open-scripted-provider.ts';

let provider: ScriptedProvider;

beforeEach(async () => {
  provider = await openScriptedProvider({ models: ['one', 'two'] });
});

afterEach(async () => {
  await provider[Symbol.asyncDispose]();
});

const VERSION = { 'anthropic-version': '2023-06-01' };

const post = (path: string, body: object = {}): Promise<Response> =>
  fetch(`${provider.anthropicBaseUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });

const requestMessage = async (body: object = {}): Promise<unknown> =>
  (await post('/v1/messages', body)).json();

const stream = async (): Promise<string> => (await post('/v1/messages', { stream: true })).text();

const USAGE = {
  input_tokens: 3,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 1,
};

describe('a scripted provider without a script, in the messages dialect', () => {
  it('answers pong in one piece', async () => {
    expect(await requestMessage()).toEqual({
      id: 'msg_scripted',
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [{ type: 'text', text: 'pong' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: USAGE,
    });
  });

  it('streams pong with named events', async () => {
    const names = (await stream()).match(/^event: .*$/gm)?.map((line) => line.slice(7));
    expect(names).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('selects the dialect by the end of the path', async () => {
    const answer = await post('/proxy/v1/messages?beta=true');
    expect(await answer.json()).toMatchObject({ type: 'message' });
    const chat = await post('/v1/chat/completions');
    expect(await chat.json()).toMatchObject({ object: 'chat.completion' });
  });

  it('counts tokens', async () => {
    expect(await (await post('/v1/messages/count_tokens')).json()).toEqual({ input_tokens: 3 });
  });

  it('lists its models in the format of the requested dialect', async () => {
    const list = async (headers: Record<string, string>): Promise<unknown> =>
      (await fetch(`${provider.baseUrl}/models`, { headers })).json();
    const named = { type: 'model', created_at: '2026-01-01T00:00:00Z' };
    expect(await list(VERSION)).toEqual({
      data: [
        { ...named, id: 'one', display_name: 'one' },
        { ...named, id: 'two', display_name: 'two' },
      ],
      has_more: false,
      first_id: 'one',
      last_id: 'two',
    });
    expect(await list({})).toMatchObject({ object: 'list' });
  });

  it('returns 404 for other paths', async () => {
    const answer = await fetch(`${provider.baseUrl}/files`, { headers: VERSION });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error' },
    });
  });
});

describe('a scripted message', () => {
  it('is sent for one request only', async () => {
    provider.script(answerMessageWith({ content: 'first' }));
    expect(await requestMessage()).toMatchObject({ content: [{ text: 'first' }] });
    expect(await requestMessage()).toMatchObject({ content: [{ text: 'pong' }] });
  });
});

describe('the delivery of a message stream', () => {
  it('has the same bytes with every chunking and line ending', async () => {
    provider.script(answerMessageWith({}, { byteByByte: true }));
    const slow = await stream();
    expect(slow).toBe(await stream());
    provider.script(answerMessageWith({}, { lineEnd: '\r\n' }));
    expect(await stream()).toBe(slow.replaceAll('\n', '\r\n'));
  });

  it('waits for the gate and is cut at the given frame', async () => {
    const gate = createGate();
    provider.script(answerMessageWith({}, { gate, cutAfter: 2 }));
    const { body } = await post('/v1/messages', { stream: true });
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    gate.release();
    expect((await reader.read()).value).toMatch(/^event: message_start\n/);
    gate.open();
    expect((await reader.read()).value).toBe('event: ping\ndata: {"type":"ping"}\n\n');
    await expect(reader.read()).rejects.toThrow('terminated');
  });

  it('can end with an error event', async () => {
    const events = toMessageEvents().slice(0, 1);
    provider.script(streamMessageEvents([...events, toMessageError(529, { message: 'Busy.' })]));
    expect(await stream()).toMatch(
      /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded_error".*\n\n$/,
    );
  });
});

describe('a scripted failure in the messages dialect', () => {
  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [413, 'request_too_large'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('with status %i has the type %s', async (status, type) => {
    provider.script(failMessageWith(status, { headers: { 'retry-after': '7' } }));
    const answer = await post('/v1/messages');
    expect([answer.status, await answer.json()]).toEqual([
      status,
      {
        type: 'error',
        error: { type, message: `Scripted failure ${status}.` },
        request_id: 'req_scripted',
      },
    ]);
    expect(answer.headers.get('request-id')).toBe('req_scripted');
    expect(answer.headers.get('retry-after')).toBe('7');
  });
});

describe('a scripted token count', () => {
  it('is returned', async () => {
    provider.script(countTokensWith(42));
    expect(await (await post('/v1/messages/count_tokens')).json()).toEqual({ input_tokens: 42 });
  });
});
