import { create } from '@bufbuild/protobuf';
import type { DescMethod, DescService, Message } from '@bufbuild/protobuf';
import type { CallOptions, StreamOptions } from './call.ts';
import type { Client } from './service.ts';

export type Transport = {
  unary: (method: DescMethod, request: Message, options: CallOptions) => Promise<Message>;
  serverStream: (
    method: DescMethod,
    request: Message,
    options: CallOptions,
  ) => AsyncIterable<Message>;
  duplex: (
    method: DescMethod,
    requests: AsyncIterable<Message>,
    options: StreamOptions,
  ) => AsyncIterable<Message>;
  /** Resolves when the service is reachable. Rejects with UNAVAILABLE after `timeoutMs`. */
  ready: (timeoutMs: number) => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Returns the typed functions of a remote service. Every failure is a ServiceError. A streaming
 * call starts when its first message is read; leaving the loop early cancels it.
 */
export const createClient = <S extends DescService>(service: S, transport: Transport): Client<S> =>
  Object.fromEntries(
    Object.entries(service.method).map(([name, method]) => [name, callOf(method, transport)]),
  ) as Client<S>;

type MessageInit = Record<string, unknown>;

const callOf = (method: DescMethod, transport: Transport): unknown => {
  if (method.methodKind === 'unary') {
    return (init: MessageInit, options: CallOptions) =>
      transport.unary(method, create(method.input, init), options);
  }
  if (method.methodKind === 'server_streaming') {
    return (init: MessageInit, options: CallOptions) =>
      transport.serverStream(method, create(method.input, init), options);
  }
  return (inits: AsyncIterable<MessageInit>, options: StreamOptions) =>
    transport.duplex(method, createEach(method, inits), options);
};

async function* createEach(
  method: DescMethod,
  inits: AsyncIterable<MessageInit>,
): AsyncGenerator<Message> {
  for await (const init of inits) yield create(method.input, init);
}
