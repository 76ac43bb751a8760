import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectProven } from './expect-proven.ts';
import { expectSent } from './expect-sent.ts';
import { LANES } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { sendSpeech } from './send-speech.ts';

/** A PNG of one transparent pixel, as base64. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');
const DATA_URL = `data:image/png;base64,${PNG}`;
const HTTP_URL = 'https://example.com/cat.png';
const QUESTION = 'What do these show?';

const IN_CHAT = [
  { type: 'text', text: QUESTION },
  { type: 'image_url', image_url: { url: DATA_URL } },
  { type: 'image_url', image_url: { url: HTTP_URL } },
  {
    type: 'file',
    file: { filename: 'report.pdf', file_data: `data:application/pdf;base64,${PDF}` },
  },
];
const IN_MESSAGES = [
  { type: 'text', text: QUESTION },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
  { type: 'image', source: { type: 'url', url: HTTP_URL } },
  {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: PDF },
    title: 'report.pdf',
  },
];

describe('images and documents', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it.each(LANES)('reach the model unchanged, from %s', async (_title, lane) => {
    const { model, dialect } = lane.vendor;
    bench.script(sendSpeech(dialect, { text: ['A cat.'] }));
    const file = { name: 'report.pdf', mediaType: 'application/pdf', base64: PDF };
    const turns = [{ user: QUESTION, imageUrls: [DATA_URL, HTTP_URL], file }];
    expect((await bench.clientOf(lane).ask({ model, turns })).text).toBe('A cat.');
    await expectProven(bench, lane, { finishReason: 'stop', usage: { input: 11, output: 7 } });
    expectSent(bench, lane, {
      'chat-completions': { messages: [{ role: 'user', content: IN_CHAT }] },
      messages: { messages: [{ role: 'user', content: IN_MESSAGES }] },
    });
    const { messages } = bench.lastRequest().parsed as { messages: { content: unknown }[] };
    const parts = dialect === 'messages' ? IN_MESSAGES : IN_CHAT;
    expect(messages.at(-1)!.content).toMatchObject(parts);
  });
});
