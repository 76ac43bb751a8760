import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { SessionFramesSchema } from '@witan/contracts';
import type { CallDataSchema, Frame } from '@witan/contracts';
import { encodeFrames } from './encode-frames.ts';
import { createData, createDataFrame, createFrame, errorFrame } from './frames.ts';

/** Values around those at which the encoding of a varint gets one byte longer. */
const EDGES = [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 2 ** 32 - 1];
const SIZES = EDGES.filter((edge) => edge <= 2_097_152);

const startOf = (data: MessageInitShape<typeof CallDataSchema> | undefined): Frame => {
  const value = { method: 'a.B/C', trace: { traceparent: '00-1' }, creditBytes: 9 };
  return createFrame(2, { case: 'start', value: { ...value, ...(data ? { data } : {}) } });
};

const everyKind: [string, Frame[]][] = [
  ['nothing', []],
  ['every edge of a call id', EDGES.map((id) => createDataFrame(id, createData(Buffer.from('x'))))],
  ...SIZES.map((size): [string, Frame[]] => [
    `a message of ${size} bytes`,
    [createDataFrame(7, createData(Buffer.alloc(size, 9)))],
  ]),
  ['a fragment', [createDataFrame(7, createData(Buffer.from('half'), true))]],
  ...SIZES.map((size): [string, Frame[]] => [
    `a start with a request of ${size} bytes`,
    [createFrame(size, { case: 'start', value: { data: { message: Buffer.alloc(size, 9) } } })],
  ]),
  ['a start with a fragment', [startOf({ message: Buffer.from('half'), more: true })]],
  ['a start without data', [startOf(undefined)]],
  [
    'other frames between data frames',
    [
      createDataFrame(1, createData(Buffer.from('before'))),
      startOf({ message: Buffer.of(1) }),
      createFrame(3, { case: 'cancel', value: { deadlineExceeded: true } }),
      createFrame(4, { case: 'credit', value: { bytes: 65_536 } }),
      createFrame(5, { case: 'end', value: {} }),
      errorFrame(6, new Error('secret')),
      createFrame(0, { case: 'goingAway', value: {} }),
      createDataFrame(1, createData(Buffer.from('after'))),
    ],
  ],
];

describe('encoding frames', () => {
  it.each(everyKind)('encodes %s as the generated code does', (_name, frames) => {
    const generated = toBinary(SessionFramesSchema, create(SessionFramesSchema, { frames }));
    const decoded = fromBinary(SessionFramesSchema, encodeFrames(frames));
    expect(decoded.frames).toHaveLength(frames.length);
    expect(Buffer.compare(toBinary(SessionFramesSchema, decoded), generated)).toBe(0);
  });
});
