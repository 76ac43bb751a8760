import { toBinary } from '@bufbuild/protobuf';
import { FrameSchema } from '@witan/contracts';
import type { CallData, Frame } from '@witan/contracts';

// Tags of session.proto: the number of the field, then 0 for a number or 2 for what has a length.
const FRAMES_TAG = (1 << 3) | 2;
const CALL_ID_TAG = 1 << 3;
const DATA_TAG = (3 << 3) | 2;
const MESSAGE_TAG = (1 << 3) | 2;
const MORE_TAG = 2 << 3;

/** What a frame takes beside its content, at most: a byte a tag, five a number. */
const FRAME_BYTES_MAX = 32;

/**
 * Encodes frames as `SessionFrames`. Data frames are most of what a session says and are written by
 * hand into one buffer: the generic way allocates and copies several, which costs more than the
 * rest of their journey.
 */
export const encodeFrames = (frames: readonly Frame[]): Buffer => {
  const contents = frames.map(contentOf);
  const bytes = contents.reduce((sum, content) => sum + FRAME_BYTES_MAX + content.length, 0);
  const buffer = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (let n = 0; n < frames.length; n += 1) {
    const { callId, kind } = frames[n]!;
    const content = contents[n]!;
    if (kind.case === 'data') at = putDataHead(buffer, at, callId, kind.value);
    else at = putVarint(buffer, putVarint(buffer, at, FRAMES_TAG), content.length);
    buffer.set(content, at);
    at += content.length;
  }
  return buffer.subarray(0, at);
};

/** A data frame ends with its message; any other frame is encoded whole. */
const contentOf = (frame: Frame): Uint8Array =>
  frame.kind.case === 'data' ? frame.kind.value.message : toBinary(FrameSchema, frame);

/** Writes everything of a data frame that stands before its message. */
const putDataHead = (buffer: Buffer, start: number, callId: number, data: CallData): number => {
  const { length } = data.message;
  const dataBytes = (data.more ? 2 : 0) + 1 + varintBytes(length) + length;
  const frameBytes = 1 + varintBytes(callId) + 1 + varintBytes(dataBytes) + dataBytes;
  let at = start;
  buffer[at++] = FRAMES_TAG;
  at = putVarint(buffer, at, frameBytes);
  buffer[at++] = CALL_ID_TAG;
  at = putVarint(buffer, at, callId);
  buffer[at++] = DATA_TAG;
  at = putVarint(buffer, at, dataBytes);
  if (data.more) {
    buffer[at++] = MORE_TAG;
    buffer[at++] = 1;
  }
  buffer[at++] = MESSAGE_TAG;
  return putVarint(buffer, at, length);
};

const putVarint = (buffer: Buffer, start: number, value: number): number => {
  let at = start;
  let rest = value;
  while (rest > 0x7f) {
    buffer[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  buffer[at++] = rest;
  return at;
};

const varintBytes = (value: number): number => {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) bytes += 1;
  return bytes;
};
