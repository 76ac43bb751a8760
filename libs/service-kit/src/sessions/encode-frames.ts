import { toBinary } from '@bufbuild/protobuf';
import { CallStartSchema, FrameSchema } from '@witan/contracts';
import type { CallData, Frame } from '@witan/contracts';
import { dataOf } from './frames.ts';

// Protobuf tags of session.proto: field number, then wire type 0 (varint) or 2 (length-delimited).
const FRAMES_TAG = (1 << 3) | 2;
const CALL_ID_TAG = 1 << 3;
const START_TAG = (2 << 3) | 2;
const START_DATA_TAG = (6 << 3) | 2;
const DATA_TAG = (3 << 3) | 2;
const MESSAGE_TAG = (1 << 3) | 2;
const MORE_TAG = 2 << 3;

/** Upper limit for the size of the tags, lengths and call id of a frame. */
const HEADER_BYTES_MAX = 48;

/**
 * Encodes `SessionFrames`. Messages are copied into them without the generated code, because its
 * allocations and copies would dominate the cost of a call.
 */
export const encodeFrames = (frames: readonly Frame[]): Buffer => {
  const parts = frames.map(toParts);
  const bytes = parts.reduce((sum, part) => sum + HEADER_BYTES_MAX + bytesOf(part), 0);
  const buffer = Buffer.allocUnsafe(bytes);
  let offset = 0;
  for (const part of parts) {
    offset = part.data
      ? writeWithData(buffer, offset, part, part.data)
      : writeBytes(buffer, offset, FRAMES_TAG, part.other!);
  }
  return buffer.subarray(0, offset);
};

/**
 * A frame without a message is encoded in `other`. One with a message has it in `data`, and `start`
 * contains the rest of a `CallStart`.
 */
type FrameParts = { callId: number; start?: Uint8Array; data?: CallData; other?: Uint8Array };

const toParts = (frame: Frame): FrameParts => {
  const { callId, kind } = frame;
  const data = dataOf(frame);
  if (!data) return { callId, other: toBinary(FrameSchema, frame) };
  if (kind.case !== 'start') return { callId, data };
  const { data: _data, ...start } = kind.value;
  return { callId, data, start: toBinary(CallStartSchema, start) };
};

const bytesOf = ({ start, data, other }: FrameParts): number =>
  (start?.length ?? 0) + (data?.message.length ?? 0) + (other?.length ?? 0);

const writeWithData = (
  buffer: Buffer,
  from: number,
  { callId, start }: FrameParts,
  { message, more }: CallData,
): number => {
  const dataBytes = (more ? 2 : 0) + delimitedBytes(message.length);
  const startBytes = (start?.length ?? 0) + delimitedBytes(dataBytes);
  const kindBytes = delimitedBytes(start ? startBytes : dataBytes);
  let offset = writeHeader(buffer, from, FRAMES_TAG, 1 + varintBytes(callId) + kindBytes);
  offset = writeHeader(buffer, offset, CALL_ID_TAG, callId);
  if (start) {
    offset = writeHeader(buffer, offset, START_TAG, startBytes);
    buffer.set(start, offset);
    offset += start.length;
  }
  offset = writeHeader(buffer, offset, start ? START_DATA_TAG : DATA_TAG, dataBytes);
  if (more) offset = writeHeader(buffer, offset, MORE_TAG, 1);
  return writeBytes(buffer, offset, MESSAGE_TAG, message);
};

const writeBytes = (buffer: Buffer, from: number, tag: number, bytes: Uint8Array): number => {
  const offset = writeHeader(buffer, from, tag, bytes.length);
  buffer.set(bytes, offset);
  return offset + bytes.length;
};

/** Writes a tag of one byte and the varint after it, which is a length or a value. */
const writeHeader = (buffer: Buffer, from: number, tag: number, value: number): number => {
  buffer[from] = tag;
  return writeVarint(buffer, from + 1, value);
};

/** Size of a length-delimited field with a tag of one byte. */
const delimitedBytes = (length: number): number => 1 + varintBytes(length) + length;

const writeVarint = (buffer: Buffer, from: number, value: number): number => {
  let offset = from;
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
