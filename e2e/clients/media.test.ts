import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectProven } from './expect-proven.ts';
import { expectSent } from './expect-sent.ts';
import { PAIRINGS } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { sendModelOutput } from './send-model-output.ts';

/** A PNG of one transparent pixel, as base64. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');
const DATA_URL = `data:image/png;base64,${PNG}`;
const HTTP_URL = 'https://example.com/cat.png';
const QUESTION = 'What do these show?';

const CHAT_PARTS = [
  { type: 'text', text: QUESTION },
  { type: 'image_url', image_url: { url: DATA_URL } },
  { type: 'image_url', image_url: { url: HTTP_URL } },
  {
    type: 'file',
    file: { filename: 'report.pdf', file_data: `data:application/pdf;base64,${PDF}` },
  },
];
const MESSAGE_PARTS = [
  { type: 'text', text: QUESTION },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
  { type: 'image', source: { type: 'url', url: HTTP_URL } },
  {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: PDF },
    title: 'report.pdf',
  },
];
const RESPONSE_PARTS = [
  { type: 'input_text', text: QUESTION },
  { type: 'input_image', image_url: DATA_URL },
  { type: 'input_image', image_url: HTTP_URL },
  {
    type: 'input_file',
    filename: 'report.pdf',
    file_data: `data:application/pdf;base64,${PDF}`,
  },
];
const PARTS = {
  'chat-completions': CHAT_PARTS,
  messages: MESSAGE_PARTS,
  responses: RESPONSE_PARTS,
};

describe('images and documents', () => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  it.each(PAIRINGS)('reach the model unchanged, from %s', async (_title, pairing) => {
    const { model, dialect } = pairing.vendor;
    setup.script(sendModelOutput(dialect, { text: ['A cat.'] }));
    const file = { name: 'report.pdf', mediaType: 'application/pdf', base64: PDF };
    const turns = [{ user: QUESTION, imageUrls: [DATA_URL, HTTP_URL], file }];
    expect((await setup.clientOf(pairing).ask({ model, turns })).text).toBe('A cat.');
    await expectProven(setup, pairing, { finishReason: 'stop', usage: { input: 11, output: 7 } });
    expectSent(setup, pairing, {
      'chat-completions': { messages: [{ role: 'user', content: CHAT_PARTS }] },
      messages: { messages: [{ role: 'user', content: MESSAGE_PARTS }] },
      responses: {
        input: [
          {
            type: 'message',
            role: 'user',
            content: RESPONSE_PARTS.map((part) => expect.objectContaining(part)),
          },
        ],
      },
    });
    const { messages, input } = setup.lastRequest().parsed as Record<
      'messages' | 'input',
      { content: unknown }[] | undefined
    >;
    expect((messages ?? input)!.at(-1)!.content).toMatchObject(PARTS[dialect]);
  });
});
