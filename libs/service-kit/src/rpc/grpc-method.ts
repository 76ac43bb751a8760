import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { MethodDefinition } from '@grpc/grpc-js';

/**
 * Maximum size of a message; must fit the body of a client's request (32 MiB). Above this size
 * grpc-js fails the call with RESOURCE_EXHAUSTED.
 */
export const MESSAGE_BYTES_MAX = 40 * 1024 * 1024;

export const METADATA = {
  token: 'authorization',
  workspace: 'witan-workspace',
  requestId: 'x-request-id',
} as const;

export const toGrpcMethod = (method: DescMethod): MethodDefinition<Message, Message> => {
  const encode = (schema: DescMethod['input']) => (message: Message) => {
    const bytes = toBinary(schema, message);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
  const decode = (schema: DescMethod['input']) => (bytes: Buffer) => fromBinary(schema, bytes);
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: method.methodKind === 'bidi_streaming',
    responseStream: method.methodKind !== 'unary',
    requestSerialize: encode(method.input),
    requestDeserialize: decode(method.input),
    responseSerialize: encode(method.output),
    responseDeserialize: decode(method.output),
  };
};
