import { fromBinary } from '@bufbuild/protobuf';
import type { ClientDuplexStream, ServerDuplexStream } from '@grpc/grpc-js';
import { SessionFramesSchema } from '@witan/contracts';
import type { SessionFrames } from '@witan/contracts';
import { SessionService } from '@witan/contracts/services';
import { toGrpcMethod } from '../rpc/grpc-method.ts';

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
