import { create, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, Message } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { CompleteEventSchema, FrameSchema, ReserveSchema, WireBodySchema } from '@witan/contracts';
import { encodeMessage } from './encode-message.ts';

const chunkOf = (bytes: number): Message =>
  create(CompleteEventSchema, { event: { case: 'wire', value: new Uint8Array(bytes).fill(7) } });

const withUnknownField = (): Message => ({
  ...chunkOf(3),
  $unknown: [{ no: 99, wireType: 0, data: Uint8Array.of(1) }],
});

const messages: [string, DescMessage, Message][] = [
  ...[0, 1, 127, 128, 16_384].map((size): [string, DescMessage, Message] => [
    `a chunk of ${size} bytes`,
    CompleteEventSchema,
    chunkOf(size),
  ]),
  ['a chunk with an unknown field', CompleteEventSchema, withUnknownField()],
  [
    'another member of the oneof',
    CompleteEventSchema,
    create(CompleteEventSchema, {
      event: { case: 'ending', value: { finishReason: 'stop' } },
    }),
  ],
  ['an empty oneof', CompleteEventSchema, create(CompleteEventSchema)],
  ['a oneof without bytes', FrameSchema, create(FrameSchema, { callId: 1 })],
  ['bytes outside a oneof', WireBodySchema, create(WireBodySchema, { json: Uint8Array.of(1, 2) })],
  ['a message without a oneof', ReserveSchema, create(ReserveSchema, { amount: 5n })],
];

describe('encoding a message', () => {
  it.each(messages)('encodes %s as the generated code does', (_name, schema, message) => {
    expect(Buffer.compare(encodeMessage(schema, message), toBinary(schema, message))).toBe(0);
  });
});
