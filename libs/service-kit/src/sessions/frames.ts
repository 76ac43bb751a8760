import { create, fromBinary } from '@bufbuild/protobuf';
import type { DescMethod, MessageInitShape } from '@bufbuild/protobuf';
import { FrameSchema, ServiceError, SessionFramesSchema } from '@witan/contracts';
import type { CallData, CallStart, Frame, SessionFrames } from '@witan/contracts';
import type { ClientDuplexStream, ServerDuplexStream } from '@grpc/grpc-js';
import { SessionService } from '@witan/contracts/services';
import { toErrorDetail } from '../rpc/status.ts';
import { MESSAGE_BYTES_MAX, toGrpcMethod } from '../rpc/grpc-method.ts';

export type FrameKind = MessageInitShape<typeof FrameSchema>['kind'];

/** Call id of frames that concern the session itself; the ids of calls are larger. */
export const SESSION_CALL_ID = 0;

export const createFrame = (callId: number, kind: FrameKind): Frame =>
  create(FrameSchema, { callId, kind });

export const createData = (message: Uint8Array, more = false): CallData => ({
  $typeName: 'witan.rpc.v1.CallData',
  message,
  more,
});

// Data and start frames, the most frequent kinds, are object literals, because `create` is slower.
export const createDataFrame = (callId: number, data: CallData): Frame => ({
  $typeName: 'witan.rpc.v1.Frame',
  callId,
  kind: { case: 'data', value: data },
});

export const createStartFrame = (callId: number, start: CallStart): Frame => ({
  $typeName: 'witan.rpc.v1.Frame',
  callId,
  kind: { case: 'start', value: start },
});

export const errorFrame = (callId: number, error: unknown): Frame =>
  createFrame(callId, { case: 'error', value: toErrorDetail(error) });

export const dataOf = ({ kind }: Frame): CallData | undefined => {
  if (kind.case === 'data') return kind.value;
  return kind.case === 'start' ? kind.value.data : undefined;
};

export const methodName = ({ parent, name }: DescMethod): string => `${parent.typeName}/${name}`;

export type Assembly = { fragments?: { parts: Uint8Array[]; bytes: number } | undefined };

/**
 * Adds a fragment and returns the message if it was the last one, otherwise undefined. Throws
 * REQUEST_TOO_LARGE when the fragments exceed the size limit.
 */
export const assembleMessage = (assembly: Assembly, data: CallData): Uint8Array | undefined => {
  const { fragments } = assembly;
  if (!fragments && !data.more) return data.message;
  const parts = fragments?.parts ?? [];
  const bytes = (fragments?.bytes ?? 0) + data.message.length;
  assertMessageFits(bytes);
  parts.push(data.message);
  assembly.fragments = data.more ? { parts, bytes } : undefined;
  return data.more ? undefined : Buffer.concat(parts, bytes);
};

export const assertMessageFits = (bytes: number): void => {
  if (bytes <= MESSAGE_BYTES_MAX) return;
  const message = `A message between services is larger than ${MESSAGE_BYTES_MAX} bytes.`;
  throw new ServiceError('REQUEST_TOO_LARGE', message);
};

export type ClientSessionStream = ClientDuplexStream<Buffer, SessionFrames>;
export type ServerSessionStream = ServerDuplexStream<SessionFrames, Buffer>;

const encode = (frames: Buffer): Buffer => frames;
const decode = (bytes: Buffer): SessionFrames => fromBinary(SessionFramesSchema, bytes);

export const SESSION_METHOD = {
  ...toGrpcMethod(SessionService.method.open),
  requestSerialize: encode,
  requestDeserialize: decode,
  responseSerialize: encode,
  responseDeserialize: decode,
};
