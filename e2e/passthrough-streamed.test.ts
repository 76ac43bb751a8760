import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answerWith,
  createGate,
  respondWith,
  streamFrames,
  toChatChunks,
  toChatCompletion,
} from '@witan/testing';
import { CHAT, PING } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const STREAM = { ...PING, stream: true };
const STREAM_WITH_USAGE = { ...STREAM, stream_options: { include_usage: true } };
const DONE = 'data: [DONE]\n\n';

const formatFrame = (value: object, lineEnd = '\n'): string =>
  `data: ${JSON.stringify(value)}${lineEnd}${lineEnd}`;

const makeChunk = (choice: object, members: object = {}): object => ({
  id: 'chatcmpl-x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
  ...members,
});

const ROLE = makeChunk({ delta: { role: 'assistant', content: '' } });
const TEXT = makeChunk(
  { delta: { content: 'Hi', x_delta: [1] }, x_choice: 1 },
  { x_top: { y: 2 } },
);
const STOP = makeChunk({ finish_reason: 'stop' });
const USAGE = makeChunk({}, { choices: [], usage: { prompt_tokens: 0, completion_tokens: 1 } });

/**
 * A valid but unusual event stream: comments, event names, ids, CRLF, no space after the colon, two
 * data lines.
 */
const UNUSUAL_STREAM =
  ': keep-alive\n\n' +
  formatFrame(ROLE, '\r\n') +
  `event: delta\nid: 7\n${formatFrame(TEXT)}` +
  ': half way\r\n\r\n' +
  `data:${JSON.stringify(makeChunk({ delta: { content: ' 🦊\n' } }))}\n\n` +
  'data: {"choices":[{"index":0,\ndata: "delta":{"content":"!"}}],"x_big":12345678901234567890}\n\n' +
  formatFrame(STOP, '\r\n');

describe.each(TRANSPORTS)('a relayed stream, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const sendAndReadProviderBody = async (body: string): Promise<string> => {
    const answer = await fixture.client.complete(body);
    expect(answer.status).toBe(200);
    return fixture.provider.requests.at(-1)!.body.toString();
  };

  it('requests usage from the provider and is otherwise unchanged', async () => {
    const rest = `"x_big":12345678901234567890, "messages":[{"role":"user"}],"stream" : true`;
    expect(await sendAndReadProviderBody(`{"model":"gpt-test", ${rest} }`)).toBe(
      `{"model":"gpt-test", ${rest} ,"stream_options":{"include_usage":true}}`,
    );
    expect(
      await sendAndReadProviderBody(`{"stream_options":null, "model":"gpt-test", ${rest}}`),
    ).toBe(`{"stream_options":{"include_usage":true}, "model":"gpt-test", ${rest}}`);
  });

  it("has the client's other stream options unchanged", async () => {
    const rest = `"model":"gpt-test","messages":[{"role":"user"}],"stream":true`;
    const providerBody = await sendAndReadProviderBody(
      `{"stream_options":{"x_big":12345678901234567890},${rest}}`,
    );
    expect(providerBody).toBe(
      `{"stream_options":{"x_big":12345678901234567890,"include_usage":true},${rest}}`,
    );
  });

  it('has the unchanged bytes of a client that requests usage itself', async () => {
    const body = `{ "stream":true, "stream_options" : {"include_usage":true, "x": 1.0}, ${JSON.stringify(PING).slice(1)}`;
    expect(await sendAndReadProviderBody(body)).toBe(body);
  });

  it.each([
    ['in large packets', false],
    ['one byte at a time', true],
  ])("returns the provider's bytes to the client %s", async (_name, byteByByte) => {
    fixture.provider.script(streamFrames([UNUSUAL_STREAM, formatFrame(USAGE)], { byteByByte }));
    const answer = await fixture.client.complete(STREAM_WITH_USAGE);
    expect(answer.text).toBe(UNUSUAL_STREAM + formatFrame(USAGE) + DONE);
  });

  it('omits the usage chunk for a client that did not request it', async () => {
    fixture.provider.script(streamFrames([UNUSUAL_STREAM, formatFrame(USAGE)]));
    expect((await fixture.client.complete(STREAM)).text).toBe(UNUSUAL_STREAM + DONE);
  });

  it('includes usage in a chunk with choices', async () => {
    const frames = [formatFrame(TEXT), formatFrame({ ...STOP, usage: { prompt_tokens: 1 } })];
    fixture.provider.script(streamFrames(frames));
    expect((await fixture.client.complete(STREAM)).text).toBe(frames.join('') + DONE);
  });

  it('relays tool calls and several choices unchanged', async () => {
    const toolCalls = [{ name: 'add', arguments: '{"a":1}' }];
    const answer = toChatChunks({ toolCalls }, { includeUsage: true });
    const second = makeChunk({ index: 1, delta: { content: 'other' } });
    fixture.provider.script(streamFrames([...answer, second]));
    const { text } = await fixture.client.complete(STREAM_WITH_USAGE);
    expect(text).toBe([...answer, second].map((one) => formatFrame(one)).join('') + DONE);
  });

  it('has the headers of a stream', async () => {
    const { status, headers } = await fixture.client.complete(STREAM);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': expect.stringMatching(/^text\/event-stream/),
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-service-proof': expect.stringMatching(/^pf_/),
      'x-service-model': 'gpt-test',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    expect(headers.has('content-length')).toBe(false);
  });

  it('delivers each frame as soon as the provider sends it', async () => {
    const gate = createGate();
    const content = ['one', 'two', 'three'];
    fixture.provider.script(answerWith({ content }, { gate }));
    // Lets the provider send the frame with the role, which the gateway buffers until there is
    // content.
    gate.release();
    const opening = fixture.client.open(CHAT, { body: STREAM });
    gate.release();
    const response = await opening;
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (const word of content) {
      while (!text.includes(word)) text += (await reader.read()).value ?? '(ended)';
      gate.release();
    }
    expect(text).not.toContain('[DONE]');
    gate.open();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += part.value;
    }
    expect(text.endsWith(DONE)).toBe(true);
  });

  it('is replaced by the plain answer of a provider that ignores stream', async () => {
    const body = JSON.stringify(toChatCompletion());
    fixture.provider.script(respondWith({ body }));
    const answer = await fixture.client.complete(STREAM);
    expect(answer.text).toBe(body);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });
});
