import { create } from '@bufbuild/protobuf';
import type {
  DescMethod,
  DescService,
  Message,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import type { CallOptions, StreamOptions, Call } from './call.ts';

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
  /**
   * Returns the function that a service of this process offers beside the handler of a method;
   * undefined if it offers none, or runs in another process. Calls of the function are checked,
   * traced and counted as calls of the handler are.
   */
  direct?: (method: DescMethod) => DirectCall | undefined;
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

type Input<M extends DescMethod> = MessageShape<M['input']>;
type Output<M extends DescMethod> = MessageShape<M['output']>;
type InputInit<M extends DescMethod> = MessageInitShape<M['input']>;
type OutputInit<M extends DescMethod> = MessageInitShape<M['output']>;

type Handler<M extends DescMethod> = M['methodKind'] extends 'unary'
  ? (request: Input<M>, call: Call) => Promise<OutputInit<M>>
  : M['methodKind'] extends 'server_streaming'
    ? (request: Input<M>, call: Call) => AsyncIterable<OutputInit<M>>
    : (requests: AsyncIterable<Input<M>>, call: Call) => AsyncIterable<OutputInit<M>>;

type ClientMethod<M extends DescMethod> = M['methodKind'] extends 'unary'
  ? (request: InputInit<M>, options: CallOptions) => Promise<Output<M>>
  : M['methodKind'] extends 'server_streaming'
    ? (request: InputInit<M>, options: CallOptions) => AsyncIterable<Output<M>>
    : (requests: AsyncIterable<InputInit<M>>, options: StreamOptions) => AsyncIterable<Output<M>>;

export type Handlers<S extends DescService> = { [K in keyof S['method']]: Handler<S['method'][K]> };

export type Client<S extends DescService> = {
  [K in keyof S['method']]: ClientMethod<S['method'][K]>;
};

/** `extra` is what no message can hold, such as functions of the caller. */
export type DirectCall = (
  request: object,
  options: Omit<CallOptions, 'timeoutMs'>,
  extra?: object,
) => Promise<unknown>;

/** A function for callers of the same process. Caller and service agree on its types. */
export type DirectFunction = (request: never, call: Call, extra: never) => Promise<unknown>;

export type Implementation = {
  service: DescService;
  handlers: Record<string, (request: never, call: Call) => unknown>;
  /** By the local name of the method. */
  direct?: Readonly<Record<string, DirectFunction>>;
};

export const implement = <S extends DescService>(
  service: S,
  handlers: Handlers<S>,
  direct: Readonly<Record<string, DirectFunction>> = {},
): Implementation => ({ service, handlers, direct });
