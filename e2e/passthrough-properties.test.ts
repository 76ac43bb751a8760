import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  respondWith,
  streamFrames,
  toChatChunks,
  toChatCompletion,
  toMessage,
  toMessageEvents,
} from '@witan/testing';
import type { Script } from '@witan/testing';
import fc from 'fast-check';
import { arbitraryPieces, withUnknownMembers } from './arbitrary-body.ts';
import type { JsonObject } from './arbitrary-body.ts';
import { CHAT, MESSAGES } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { sendParts } from './send-parts.ts';

const RUNS = 40;
const RUNS_OF_BODIES = 80;

const SCHEMA = { type: 'object', properties: { a: { type: 'object', properties: { b: {} } } } };

/**
 * Bodies with nested objects of each dialect, to which unknown members can be added at every depth.
 */
const CHAT_BODY: JsonObject = {
  model: 'gpt-test',
  messages: [
    {
      role: 'system',
      content: [{ type: 'text', text: 'Be brief.', cache_control: { ttl: '5m' } }],
    },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.example/a' } }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '3' },
  ],
  tools: [{ type: 'function', function: { name: 'add', parameters: SCHEMA } }],
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA } },
};

const MESSAGES_BODY: JsonObject = {
  model: 'claude-test',
  max_tokens: 64,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: 'Add.', cache_control: { type: 'ephemeral' } }],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: { b: [{ c: {} }] } } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: '3' }] },
      ],
    },
  ],
  tools: [{ name: 'add', input_schema: SCHEMA }],
};

const toolCalls = [{ name: 'add', arguments: '{"a":1.50}' }];
const blocks = [
  { type: 'thinking' as const, thinking: ['Hm', '. 🦊'], signature: 'c2ln' },
  { type: 'text' as const, text: ['na', 'ïve'] },
  { type: 'tool_use' as const, name: 'add', input: ['{"a":', '1.50}'] },
];
const CHAT_ANSWER = { content: ['na', 'ïve 🦊'], toolCalls };

const formatFrame = (value: object, lineEnd: string): string =>
  `data: ${JSON.stringify(value)}${lineEnd}${lineEnd}`;

type DialectBody = { name: string; path: string; body: JsonObject };
const DIALECTS: (DialectBody & { answer: object; stream: (lineEnd: string) => string })[] = [
  {
    name: 'chat completions',
    path: CHAT,
    body: CHAT_BODY,
    answer: toChatCompletion(CHAT_ANSWER),
    stream: (lineEnd) =>
      `: comment${lineEnd}${lineEnd}` +
      toChatChunks(CHAT_ANSWER)
        .map((chunk) => formatFrame(chunk, lineEnd))
        .join('') +
      `data: [DONE]${lineEnd}${lineEnd}`,
  },
  {
    name: 'messages',
    path: MESSAGES,
    body: MESSAGES_BODY,
    answer: toMessage({ blocks }),
    stream: (lineEnd) =>
      `: comment${lineEnd}${lineEnd}` +
      toMessageEvents({ blocks })
        .map((event) => `event: ${event.type}${lineEnd}${formatFrame(event, lineEnd)}`)
        .join(''),
  },
];

/**
 * Returns an event whose tool call begins without input, because one that has input and pieces of
 * it contradicts itself.
 */
const withEmptyInput = (event: JsonObject): JsonObject => {
  const { content_block: block } = event;
  const isCall = typeof block === 'object' && block !== null && 'input' in block;
  return isCall ? { ...event, content_block: { ...block, input: {} } } : event;
};

/**
 * Each client dialect twice: relayed to a provider of the same dialect, and translated for a
 * provider of the other dialect.
 */
const CROSSINGS = DIALECTS.flatMap((dialect, at) => {
  const other = DIALECTS[1 - at]!;
  return [
    { ...dialect, name: `${dialect.name} as they are`, providerDialect: dialect },
    {
      ...dialect,
      name: `${dialect.name} crossed`,
      body: { ...dialect.body, model: other.body.model! },
      providerDialect: other,
    },
  ];
});

/** Replaces the ids and times that the gateway generates, so that two outputs can be compared. */
const withoutIds = (text: string): string =>
  text.replaceAll(/"(chatcmpl-|msg_)\w+"/g, '"id"').replaceAll(/"created":\d+/g, '"created":0');

describe('relayed content', () => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({});
    // Masking is turned off, because random text may look like personal data.
    const body = { privacy: { categories: [] } };
    const { status } = await fixture.client.send('/v1/workspace', { method: 'PUT', body });
    expect(status).toBe(200);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const ask = async (path: string, body: object, script?: Script): Promise<string> => {
    if (script) fixture.provider.script(script);
    const answer = await fixture.client.send(path, { body });
    expect(answer.status).toBe(200);
    return answer.text;
  };
  const lastBody = (): string => fixture.provider.requests.at(-1)!.body.toString();

  describe.each(DIALECTS)('in $name', ({ path, body, answer, stream }) => {
    it('keeps unknown members of requests, at depth 1 to 5', async () => {
      await fc.assert(
        fc.asyncProperty(withUnknownMembers(body), async (odd) => {
          await ask(path, odd);
          expect(lastBody()).toBe(JSON.stringify(odd));
        }),
        { numRuns: RUNS_OF_BODIES },
      );
    });

    it('keeps unknown members of answers, at depth 1 to 5', async () => {
      await fc.assert(
        fc.asyncProperty(withUnknownMembers(answer as JsonObject), async (odd) => {
          expect(await ask(path, body, respondWith({ body: odd }))).toBe(JSON.stringify(odd));
        }),
        { numRuns: RUNS_OF_BODIES },
      );
    });

    it('keeps unknown members of every frame of a stream, at depth 1 to 5', async () => {
      const lines = stream('\n').split('\n');
      const frames = lines.flatMap((text, at) =>
        text.startsWith('data: {') ? [{ at, value: JSON.parse(text.slice(6)) as JsonObject }] : [],
      );
      await fc.assert(
        fc.asyncProperty(
          fc.tuple(...frames.map(({ value }) => withUnknownMembers(value).map(withEmptyInput))),
          async (odd) => {
            const streamLines = [...lines];
            for (const [index, { at }] of frames.entries()) {
              streamLines[at] = `data: ${JSON.stringify(odd[index])}`;
            }
            const streamText = streamLines.join('\n');
            const text = await ask(
              path,
              { ...body, stream: true, stream_options: { include_usage: true } },
              streamFrames([streamText], { sendDone: false }),
            );
            expect(text).toBe(streamText);
          },
        ),
        { numRuns: RUNS },
      );
    });
  });

  describe.each(CROSSINGS)('in $name', ({ path, body, providerDialect }) => {
    it.each([
      ['LF', '\n'],
      ['CRLF', '\r\n'],
    ])('is the same however the stream was split into packets (%s)', async (_name, lineEnd) => {
      const bytes = Buffer.from(providerDialect.stream(lineEnd));
      const readRelayed = async (parts: readonly Uint8Array[]): Promise<string> =>
        withoutIds(
          await ask(path, { ...body, stream: true }, sendParts('text/event-stream', parts)),
        );
      const unsplitResult = await readRelayed([bytes]);
      expect(unsplitResult).toContain('ïve');
      expect(await readRelayed([...bytes].map((byte) => Uint8Array.of(byte)))).toBe(unsplitResult);
      await fc.assert(
        fc.asyncProperty(arbitraryPieces(bytes), async (parts) => {
          expect(await readRelayed(parts)).toBe(unsplitResult);
        }),
        { numRuns: RUNS },
      );
    });

    it('is the same however the plain answer was split into packets', async () => {
      const bytes = Buffer.from(JSON.stringify(providerDialect.answer));
      const readRelayed = async (parts: readonly Uint8Array[]): Promise<string> =>
        withoutIds(await ask(path, body, sendParts('application/json', parts)));
      const unsplitResult = await readRelayed([bytes]);
      expect(unsplitResult).toContain('ïve');
      expect(await readRelayed([...bytes].map((byte) => Uint8Array.of(byte)))).toBe(unsplitResult);
      await fc.assert(
        fc.asyncProperty(arbitraryPieces(bytes), async (parts) => {
          expect(await readRelayed(parts)).toBe(unsplitResult);
        }),
        { numRuns: RUNS },
      );
    });

    it('produces the same provider bytes for the same prompt', async () => {
      await fc.assert(
        fc.asyncProperty(withUnknownMembers(body), fc.boolean(), async (odd, streamed) => {
          const request = streamed ? { ...odd, stream: true } : odd;
          await ask(path, request);
          const firstProviderBody = lastBody();
          await ask(path, request);
          expect(lastBody()).toBe(firstProviderBody);
        }),
        { numRuns: RUNS },
      );
    });
  });
});
