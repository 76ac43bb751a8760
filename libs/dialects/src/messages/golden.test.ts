import { describe, expect, it } from '@jest/globals';
import { createSseSplitter } from '@witan/proof';
import { readFileSync } from 'node:fs';
import type { AnswerPiece, AnswerTail } from '../dialect.ts';
import { messages } from './dialect.ts';

const golden = (name: string): string =>
  readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8');

const HEAD = {
  id: 'x1',
  model: 'service-auto',
  created: 1,
  promptTokensEstimate: 570,
  wantsUsage: true,
};
const PIECES: readonly AnswerPiece[] = [
  { case: 'reasoning', value: 'The user wants ' },
  { case: 'reasoning', value: 'two cities.' },
  { case: 'reasoningSignature', value: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' },
  { case: 'redactedReasoning', value: 'EmwKAhgBEgy3va3pzix' },
  { case: 'text', value: "I'll check" },
  { case: 'text', value: ' both: Zürich 🌧' },
  { case: 'toolCall', value: { id: 'toolu_01', name: 'get_weather' } },
  { case: 'toolArguments', value: '{"city": "Z' },
  { case: 'toolArguments', value: 'ürich"}' },
  { case: 'toolCall', value: { id: 'toolu_02', name: 'get_time' } },
  { case: 'toolArguments', value: '{}' },
];
const TAIL: AnswerTail = {
  finishReason: 'tool_calls',
  stopSequence: '',
  usage: {
    promptTokens: 572,
    completionTokens: 89,
    totalTokens: 661,
    estimated: false,
    cachedTokens: 100,
    cacheWriteTokens: 0,
  },
};

const framesOf = (text: string) => createSseSplitter().push(new TextEncoder().encode(text));

describe('golden answers of the messages dialect', () => {
  it("decodes a provider's stream with thinking, signatures, text and two calls", () => {
    const decoder = messages.createStreamDecoder();
    const pieces = framesOf(golden('provider-tools.sse')).flatMap(({ data }) =>
      decoder.push(messages.readFrame(data).value ?? {}),
    );
    expect([...pieces, ...decoder.end()]).toEqual(PIECES);
  });

  it('encodes the stream of a client', () => {
    const encoder = messages.createStreamEncoder(HEAD);
    const text = encoder.open() + PIECES.map(encoder.piece).join('') + encoder.end(TAIL);
    expect(text).toBe(golden('client-tools.sse'));
  });

  it('encodes a complete message, which decodes to the same pieces', () => {
    const message = messages.encodeResponse(HEAD, PIECES, TAIL);
    expect(message).toEqual(JSON.parse(golden('client-tools.json')));
    const text = messages
      .decodeResponse(JSON.parse(golden('client-tools.json')))
      .pieces.map(({ value }) => value);
    expect(text).toHaveLength(8);
  });

  it('writes an event line equal to the type in every frame', () => {
    for (const { data, event } of framesOf(golden('client-tools.sse'))) {
      expect(event).toBe(messages.readFrame(data).value?.type);
      expect(event).toBeTruthy();
    }
  });
});
