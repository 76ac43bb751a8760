import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyRequest, verifyResponse } from '@witan/proof';
import {
  answerMessageWith,
  answerWith,
  createGate,
  eventually,
  respondWith,
  streamFrames,
  toMessage,
} from '@witan/testing';
import type { Script } from '@witan/testing';
import { Client } from 'pg';
import { checkMessageStream } from './conformance/check-message-stream.ts';
import { CHAT, MESSAGE_PING, MESSAGES, PING } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const STREAM = { ...MESSAGE_PING, stream: true };

const formatEvent = (value: { type: string; [name: string]: unknown }, lineEnd = '\n'): string =>
  `event: ${value.type}${lineEnd}data: ${JSON.stringify(value)}${lineEnd}${lineEnd}`;

const MESSAGE = {
  ...toMessage(),
  content: [],
  stop_reason: null,
  usage: { input_tokens: 3, output_tokens: 0 },
};

/**
 * A valid but unusual event stream: comments, ids, CRLF, no space after the colon, two data lines,
 * unknown members.
 */
const UNUSUAL_STREAM =
  ': keep-alive\n\n' +
  formatEvent({ type: 'message_start', message: MESSAGE, x_start: { y: [1] } }, '\r\n') +
  'event: ping\r\ndata: {"type": "ping"}\r\n\r\n' +
  formatEvent({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'thinking', thinking: '' },
  }) +
  `id: 7\n${formatEvent({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm 🦊' } })}` +
  ': half way\r\n\r\n' +
  'event:content_block_delta\ndata:{"type":"content_block_delta","index":0,\n' +
  'data: "delta":{"type":"signature_delta","signature":"c2ln+/=="},"x_big":12345678901234567890}\n\n' +
  formatEvent({ type: 'content_block_stop', index: 0 }) +
  formatEvent({
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'text', text: '' },
  }) +
  formatEvent({
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'text_delta', text: 'Hi' },
  }) +
  formatEvent({ type: 'x_unheard_of', x: 1 }) +
  formatEvent({ type: 'content_block_stop', index: 1 }, '\r\n') +
  formatEvent({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { output_tokens: 2 },
  }) +
  formatEvent({ type: 'message_stop', x_stop: null });

/**
 * Reads until `isComplete` accepts the text; returns `text` followed by everything that was read.
 */
const readUntil = async (
  reader: ReadableStreamDefaultReader<string>,
  text: string,
  isComplete: (text: string) => boolean,
): Promise<string> => {
  let all = text;
  while (!isComplete(all)) {
    const part = await reader.read();
    if (part.done) throw new Error(`The stream ended with ${JSON.stringify(all.slice(-100))}.`);
    all += part.value;
  }
  return all;
};

describe.each(TRANSPORTS)('a relayed message stream, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it.each([
    ['in large packets', false],
    ['one byte at a time', true],
  ])("returns the provider's bytes to the client %s", async (_name, byteByByte) => {
    fixture.provider.script(streamFrames([UNUSUAL_STREAM], { byteByByte, sendDone: false }));
    const answer = await fixture.client.message(STREAM);
    expect(answer.text).toBe(UNUSUAL_STREAM);
    const { payload } = await fixture.client.certificateOf(answer);
    verifyRequest(payload, JSON.stringify(STREAM));
    verifyResponse(payload, answer.bytes);
    expect(payload.response).toMatchObject({ finishReason: 'stop', usage: { totalTokens: 5 } });
  });

  it('has valid events', async () => {
    const { text, status } = await fixture.client.message(STREAM);
    expect([status, checkMessageStream(text)]).toEqual([200, []]);
  });

  it('has the headers of a stream', async () => {
    const { status, headers } = await fixture.client.message(STREAM);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': expect.stringMatching(/^text\/event-stream/),
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-service-proof': expect.stringMatching(/^pf_/),
      'x-service-model': 'claude-test',
      'request-id': headers.get('x-request-id'),
    });
    expect(headers.has('content-length')).toBe(false);
  });

  it('opens at the first content, and delivers each event immediately', async () => {
    const gate = createGate();
    const content = ['one', 'two', 'three'];
    fixture.provider.script(answerMessageWith({ content }, { gate }));
    let isOpened = false;
    const opening = fixture.client.open(MESSAGES, { body: STREAM }).then((response) => {
      isOpened = true;
      return response;
    });
    const callNumber = fixture.provider.requests.length + 1;
    // The three events before the content: message start, ping and start of an empty block.
    gate.release(3);
    await fixture.provider.whenRequest(callNumber);
    // While this second call completes, the gateway has enough time to relay the events of the
    // first call.
    expect((await fixture.client.message(MESSAGE_PING)).status).toBe(200);
    expect(isOpened).toBe(false);
    gate.release();
    const reader = (await opening).body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (const word of content) {
      text = await readUntil(reader, text, (all) => all.includes(word));
      gate.release();
    }
    expect(text).not.toContain('message_stop');
    gate.open();
    expect(await readUntil(reader, text, (all) => all.includes('message_stop'))).toContain('three');
  });

  it.each<[string, string, object, Script, string, string]>([
    ['messages', MESSAGES, STREAM, answerMessageWith(), 'event: message_delta', 'message_stop'],
    ['chat', CHAT, { ...PING, stream: true }, answerWith(), '"finish_reason":"stop"', '[DONE]'],
    [
      'messages crossed',
      MESSAGES,
      { ...STREAM, model: 'gpt-test' },
      answerWith(),
      '"text":"ng"',
      'message_stop',
    ],
  ])(
    'of %s ends only after its certificate is durable',
    async (_name, path, body, script, textBeforeEnd, end) => {
      fixture.provider.script(script);
      const database = new Client({ connectionString: fixture.system.databaseUrl });
      await database.connect();
      await database.query('BEGIN; LOCK TABLE ledger.certificate');
      const response = await fixture.client.open(path, { body });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = await readUntil(reader, '', (all) => all.includes(textBeforeEnd));
      await eventually(async () => {
        const { rowCount } = await database.query(
          'SELECT FROM pg_locks JOIN pg_database d ON d.oid = database' +
            ' WHERE NOT granted AND datname = current_database()',
        );
        return rowCount || undefined;
      }, 'the write that waits for the lock');
      expect(text).not.toContain(end);
      await database.query('COMMIT');
      await database.end();
      text = await readUntil(reader, text, (all) => all.includes(end));
      const certificate = await fixture.client.certificateOf(response);
      expect(certificate.payload.response.finishReason).toBe('stop');
    },
  );

  it('is replaced by the plain answer of a provider that ignores stream', async () => {
    const body = JSON.stringify(toMessage());
    fixture.provider.script(respondWith({ body }));
    const answer = await fixture.client.message(STREAM);
    expect(answer.text).toBe(body);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });
});
