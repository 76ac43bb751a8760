import { create, toJson } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConversationSchema } from '@witan/contracts';
import type { Conversation, PartSchema } from '@witan/contracts';
import type { JsonObject } from '../json/json-value.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';

type PartInit = MessageInitShape<typeof PartSchema>;
type TurnsInit = { role: string; parts: PartInit[] }[];

const word = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const jsonObject = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  .map((value) => JSON.stringify(value));
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true, min: -10, max: 10 })
  .map((value) => value + 0);

const ofText = (text: string): PartInit => ({ part: { case: 'text', value: { text } } });
const text = word.map(ofText);
const media = fc
  .tuple(fc.constantFrom('image/png', 'application/pdf'), fc.base64String())
  .map(([mediaType, value]) => ({ mediaType, source: { case: 'base64' as const, value } }));
const image = fc
  .tuple(
    fc.oneof(
      media,
      fc.webUrl().map((value) => ({ source: { case: 'url' as const, value } })),
    ),
    fc.constantFrom('', 'low', 'high'),
  )
  .map(([content, detail]): PartInit => ({
    part: { case: 'image', value: { media: content, detail } },
  }));
const file = fc.tuple(media, word).map(([content, name]): PartInit => ({
  part: { case: 'document', value: { media: content, name } },
}));
const audio = fc
  .base64String({ minLength: 4 })
  .map((base64): PartInit => ({ part: { case: 'audio', value: { format: 'wav', base64 } } }));
const result = fc
  .tuple(word, fc.array(text, { maxLength: 1 }))
  .map(([toolCallId, parts]): PartInit => ({
    part: { case: 'toolResult', value: { toolCallId, parts } },
  }));
const call = fc.tuple(word, word, jsonObject).map(([id, name, argumentsText]): PartInit => ({
  part: { case: 'toolCall', value: { id, name, arguments: argumentsText } },
}));
const refusal = word.map((value): PartInit => ({
  part: { case: 'refusal', value: { text: value } },
}));

const userTurn = fc
  .tuple(
    fc.array(result, { maxLength: 2 }),
    fc.array(fc.oneof(text, image, file, audio), { minLength: 1, maxLength: 3 }),
  )
  .map((parts) => ({ role: 'user', parts: parts.flat() }));
const assistantTurn = fc
  .tuple(
    fc.array(text, { maxLength: 1 }),
    fc.array(refusal, { maxLength: 1 }),
    fc.array(call, { maxLength: 2 }),
  )
  .map((parts) => ({ role: 'assistant', parts: parts.flat() }))
  .filter(({ parts }) => parts.length > 0);
const hasDistinctCalls = (turnInits: TurnsInit): boolean => {
  const ids = turnInits.flatMap(({ parts }) =>
    parts.flatMap(({ part }) => (part?.case === 'toolCall' ? [part.value.id] : [])),
  );
  return new Set(ids).size === ids.length;
};
const turns = fc
  .tuple(userTurn, fc.array(fc.tuple(assistantTurn, userTurn), { maxLength: 2 }))
  .map(([first, rest]): TurnsInit => [first, ...rest.flat()])
  .filter(hasDistinctCalls);

const tool = fc.record({
  name: word,
  description: fc.oneof(word, fc.constant('')),
  parameters: fc.oneof(jsonObject, fc.constant('')),
  strict: optional(fc.constant(false)),
});
const toolChoice = fc
  .tuple(fc.constantFrom('auto', 'none', 'required', 'tool'), word, optional(fc.boolean()))
  .map(([mode, name, parallel]) => ({ mode, name: mode === 'tool' ? name : '', parallel }));
const responseFormat = fc.oneof(
  fc.constant({ kind: 'json_object' }),
  fc.record({
    kind: fc.constant('json_schema'),
    name: word,
    description: fc.oneof(word, fc.constant('')),
    schema: fc.oneof(jsonObject, fc.constant('')),
    strict: optional(fc.boolean()),
  }),
);
const sampling = fc.record({
  maxOutputTokens: optional(fc.integer({ min: 0, max: 1_000 })),
  temperature: optional(number),
  topP: optional(number),
  stop: fc.array(word, { maxLength: 2 }),
  seed: optional(fc.maxSafeInteger().map(BigInt)),
  presencePenalty: optional(number),
  frequencyPenalty: optional(number),
  reasoningEffort: fc.constantFrom('', 'low', 'max'),
  user: word,
});
const conversation = fc
  .record({
    system: fc.array(
      word.map((value) => ({ text: value })),
      { maxLength: 1 },
    ),
    turns,
    tools: fc.array(tool, { maxLength: 2 }),
    toolChoice: optional(toolChoice),
    responseFormat: optional(responseFormat),
    sampling: optional(sampling),
    streamed: fc.boolean(),
  })
  .map((init) => (init.tools.length > 0 ? init : { ...init, toolChoice: undefined }))
  .map((init) => create(ConversationSchema, init));

const unnormalizedTurns = fc
  .tuple(turns, fc.array(fc.oneof(text, image, fc.constant(ofText(''))), { maxLength: 3 }))
  .map(([some, parts]): TurnsInit => [
    ...some,
    { role: 'assistant', parts: [ofText('a'), ofText(''), ofText('b')] },
    {
      role: 'user',
      parts: [
        ...parts,
        { part: { case: 'toolResult', value: { toolCallId: 'c', parts, isError: true } } },
      ],
    },
  ]);

const target = { model: 'gpt-4.1', maxOutputTokens: 1_000 };
const encode = (original: Conversation): string => encodeRequest(original, target).body;
const decode = (body: string) => decodeRequest(JSON.parse(body) as JsonObject);

describe('encoding and decoding a call', () => {
  it('preserves the call and drops nothing', () => {
    fc.assert(
      fc.property(conversation, (original) => {
        const { body, dropped } = encodeRequest(original, target);
        const decoded = decode(body);
        expect(toJson(ConversationSchema, decoded.conversation)).toEqual(
          toJson(ConversationSchema, original),
        );
        expect([...dropped, ...decoded.dropped]).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('reproduces the same bytes when encoded again', () => {
    fc.assert(
      fc.property(conversation, unnormalizedTurns, (original, unnormalized) => {
        const { turns: spoken } = create(ConversationSchema, { turns: unnormalized });
        const body = encode({ ...original, turns: spoken });
        expect(encode(decode(body).conversation)).toBe(body);
      }),
      { numRuns: 300 },
    );
  });
});
