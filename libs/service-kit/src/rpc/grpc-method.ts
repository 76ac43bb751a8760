import type { Readable } from 'node:stream';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { MethodDefinition } from '@grpc/grpc-js';
import { createChannel } from './channel.ts';

/**
 * Maximum size of a message; must fit the body of a client's request (32 MiB). Above this size
 * grpc-js fails the call with RESOURCE_EXHAUSTED.
 */
export const MESSAGE_BYTES_MAX = 40 * 1024 * 1024;

export const METADATA = {
  token: 'authorization',
  workspace: 'witan-workspace',
  requestId: 'x-request-id',
  actor: 'witan-actor',
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

const CAPACITY = 16;

/**
 * Reads the messages of a gRPC stream. Node's own stream iterator is slower and would destroy a
 * duplex call when its reading half ends. `onStop` is called when the reader stops before the end.
 */
export const readMessages = (stream: Readable, onStop?: () => void): AsyncIterable<Message> => {
  const channel = createChannel<Message>(CAPACITY, onStop);
  stream.on('data', (message: Message) => {
    const spaceAvailable = channel.push(message);
    if (!spaceAvailable) return;
    stream.pause();
    void spaceAvailable.then(() => stream.resume());
  });
  stream.on('end', channel.end);
  stream.on('error', channel.fail);
  return channel;
};
