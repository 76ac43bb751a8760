import { toBinary } from '@bufbuild/protobuf';
import { FrameSchema } from '@witan/contracts';
import type { CallData, Frame } from '@witan/contracts';

// Protobuf tags of session.proto: field number, then wire type 0 (varint) or 2 (length-delimited).
const FRAMES_TAG = (1 << 3) | 2;
const CALL_ID_TAG = 1 << 3;
const DATA_TAG = (3 << 3) | 2;
const MESSAGE_TAG = (1 << 3) | 2;
const MORE_TAG = 2 << 3;

const FRAME_BYTES_MAX = 32;

/**
 * Encodes `SessionFrames`. Data frames, which are the majority, are written without the generated
 * code, because its allocations and copies would dominate the cost of a call.
 */
export const encodeFrames = (frames: readonly Frame[]): Buffer => {
  const contents = frames.map(contentOf);
  const bytes = contents.reduce((sum, content) => sum + FRAME_BYTES_MAX + content.length, 0);
  const buffer = Buffer.allocUnsafe(bytes);
  let offset = 0;
  for (let n = 0; n < frames.length; n += 1) {
    const { callId, kind } = frames[n]!;
    const content = contents[n]!;
    if (kind.case === 'data') offset = writeDataHeader(buffer, offset, callId, kind.value);
    else offset = writeVarint(buffer, writeVarint(buffer, offset, FRAMES_TAG), content.length);
    buffer.set(content, offset);
    offset += content.length;
  }
  return buffer.subarray(0, offset);
};

const contentOf = (frame: Frame): Uint8Array =>
  frame.kind.case === 'data' ? frame.kind.value.message : toBinary(FrameSchema, frame);

const writeDataHeader = (buffer: Buffer, start: number, callId: number, data: CallData): number => {
  const { length } = data.message;
  const dataBytes = (data.more ? 2 : 0) + 1 + varintBytes(length) + length;
  const frameBytes = 1 + varintBytes(callId) + 1 + varintBytes(dataBytes) + dataBytes;
  let offset = start;
  buffer[offset++] = FRAMES_TAG;
  offset = writeVarint(buffer, offset, frameBytes);
  buffer[offset++] = CALL_ID_TAG;
  offset = writeVarint(buffer, offset, callId);
  buffer[offset++] = DATA_TAG;
  offset = writeVarint(buffer, offset, dataBytes);
  if (data.more) {
    buffer[offset++] = MORE_TAG;
    buffer[offset++] = 1;
  }
  buffer[offset++] = MESSAGE_TAG;
  return writeVarint(buffer, offset, length);
};

const writeVarint = (buffer: Buffer, start: number, value: number): number => {
  let offset = start;
  let rest = value;
  while (rest > 0x7f) {
    buffer[offset++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  buffer[offset++] = rest;
  return offset;
};

const varintBytes = (value: number): number => {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) bytes += 1;
  return bytes;
};
