import type { DescMethod, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Call, CallOptions, StreamOptions } from './call.ts';

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

export type Implementation = {
  service: DescService;
  handlers: Record<string, (request: never, call: Call) => unknown>;
};

export const implement = <S extends DescService>(
  service: S,
  handlers: Handlers<S>,
): Implementation => ({ service, handlers });
