import type { DescMethod, Message } from '@bufbuild/protobuf';
import { Client, credentials as grpcCredentials, Metadata } from '@grpc/grpc-js';
import type {
  ChannelCredentials,
  ClientDuplexStream,
  ClientReadableStream,
  ServiceError as GrpcError,
  Server,
} from '@grpc/grpc-js';
import { context, propagation } from '@opentelemetry/api';
import { cancelled, unavailable } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import type { CallOptions, StreamOptions } from './call.ts';
import { METADATA, MESSAGE_BYTES_MAX, toGrpcMethod, readMessages } from './grpc-method.ts';
import { fromGrpcError } from './status.ts';
import type { Transport } from './transport.ts';
import type { Dispatcher } from './dispatcher.ts';

export type GrpcTransportOptions = {
  address: string;
  token: () => string;
  credentials?: ChannelCredentials;
  /** Called when a call or `ready` fails because there is no connection to the service. */
  onUnreachable?: (error: ServiceError) => void;
};

/**
 * Limits of the delay between connection attempts, in milliseconds. They are short, so that clients
 * soon reconnect to a restarted service.
 */
const RECONNECT_MIN_MS = 50;
const RECONNECT_MAX_MS = 1_000;
/**
 * Minimum time between two lookups of a name, in milliseconds. With the 30 s of grpc-js, a lookup
 * that found no replica would be followed by 30 s without another.
 */
const LOOKUP_EVERY_MS = 1_000;

export const CHANNEL_OPTIONS = {
  'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
  'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
  'grpc.initial_reconnect_backoff_ms': RECONNECT_MIN_MS,
  'grpc.min_reconnect_backoff_ms': RECONNECT_MIN_MS,
  'grpc.max_reconnect_backoff_ms': RECONNECT_MAX_MS,
  'grpc.dns_min_time_between_resolutions_ms': LOOKUP_EVERY_MS,
  // Keepalive stays off: if a ping is due while the server closes a connection of maximum age, Node
  // does not answer it and grpc-js drops the connection with all running streams.
};

/**
 * Creates a transport over gRPC that distributes calls round robin among the replicas behind a DNS
 * name.
 */
export const createGrpcTransport = (options: GrpcTransportOptions): Transport => {
  const credentials = options.credentials ?? grpcCredentials.createInsecure();
  const client = new Client(options.address, credentials, {
    ...CHANNEL_OPTIONS,
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  });
  const metadataFor = (callOptions: StreamOptions): Metadata =>
    createMetadata(options.token(), callOptions);
  const toFailure = (error: GrpcError): ServiceError => {
    const failure = fromGrpcError(error);
    // An error that the service itself returned has no cause.
    if (failure.reason === 'UNAVAILABLE' && failure.cause) options.onUnreachable?.(failure);
    return failure;
  };
  return {
    unary: (method, request, callOptions) =>
      callUnary(
        client,
        { method, request, metadata: metadataFor(callOptions), options: callOptions },
        toFailure,
      ),
    serverStream: (method, request, callOptions) =>
      readStream(
        () => {
          const { path, requestSerialize, responseDeserialize } = grpcMethod(method);
          const metadata = metadataFor(callOptions);
          const deadline = toDeadline(callOptions);
          return client.makeServerStreamRequest(
            path,
            requestSerialize,
            responseDeserialize,
            request,
            metadata,
            deadline,
          );
        },
        { options: callOptions, toFailure },
      ),
    duplex: (method, requests, callOptions) =>
      readStream(
        () => {
          const { path, requestSerialize, responseDeserialize } = grpcMethod(method);
          const stream = client.makeBidiStreamRequest(
            path,
            requestSerialize,
            responseDeserialize,
            metadataFor(callOptions),
            toDeadline(callOptions),
          );
          void writeRequests(stream, requests);
          return stream;
        },
        { options: callOptions, toFailure },
      ),
    ready: (timeoutMs) =>
      new Promise((resolve, reject) => {
        client.waitForReady(Date.now() + timeoutMs, (cause) => {
          if (!cause) return resolve();
          const error = unavailable('A service that this call needs is not reachable.', cause);
          options.onUnreachable?.(error);
          reject(error);
        });
      }),
    close: async () => client.close(),
  };
};

const createMetadata = (token: string, options: StreamOptions): Metadata => {
  const metadata = new Metadata();
  metadata.set(METADATA.token, token);
  if (options.workspaceId) metadata.set(METADATA.workspace, options.workspaceId);
  if (options.requestId) metadata.set(METADATA.requestId, options.requestId);
  if (options.actorId) metadata.set(METADATA.actor, options.actorId);
  propagation.inject(context.active(), metadata, {
    set: (carrier: Metadata, key, value) => carrier.set(key, value),
  });
  return metadata;
};

const METHODS = new WeakMap<DescMethod, ReturnType<typeof toGrpcMethod>>();
const grpcMethod = (method: DescMethod): ReturnType<typeof toGrpcMethod> => {
  const definition = METHODS.get(method) ?? toGrpcMethod(method);
  METHODS.set(method, definition);
  return definition;
};

const toDeadline = ({ timeoutMs }: StreamOptions): { deadline?: number } =>
  timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };

type UnaryCall = {
  method: DescMethod;
  request: Message;
  metadata: Metadata;
  options: CallOptions;
};

const callUnary = (
  client: Client,
  { method, request, metadata, options }: UnaryCall,
  toFailure: (error: GrpcError) => ServiceError,
): Promise<Message> =>
  new Promise((resolve, reject) => {
    if (options.signal?.aborted) return reject(cancelled());
    const { path, requestSerialize, responseDeserialize } = grpcMethod(method);
    const onAbort = (): void => call.cancel();
    const call = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      toDeadline(options),
      (error, response) => {
        options.signal?.removeEventListener('abort', onAbort);
        if (error) reject(toFailure(error));
        else resolve(response!);
      },
    );
    options.signal?.addEventListener('abort', onAbort, { once: true });
  });

type ReadOptions = { options: StreamOptions; toFailure: (error: GrpcError) => ServiceError };

/** Reads the responses of a call, which starts when the first one is read. */
async function* readStream(
  start: () => ClientReadableStream<Message> | ClientDuplexStream<Message, Message>,
  { options, toFailure }: ReadOptions,
): AsyncGenerator<Message> {
  if (options.signal?.aborted) throw cancelled();
  const stream = start();
  const onAbort = (): void => stream.cancel();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    yield* readMessages(stream);
  } catch (error) {
    throw toFailure(error as GrpcError);
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    stream.cancel();
  }
}

/**
 * Sends the requests of a duplex call. A failure destroys the stream, so that reading the responses
 * rejects with it.
 */
const writeRequests = async (
  stream: ClientDuplexStream<Message, Message>,
  requests: AsyncIterable<Message>,
): Promise<void> => {
  try {
    for await (const request of requests) {
      if (stream.destroyed) return;
      if (!stream.write(request)) await waitUntilWritable(stream);
    }
    stream.end();
  } catch (error) {
    stream.destroy(error as Error);
  }
};

const waitUntilWritable = (stream: ClientDuplexStream<Message, Message>): Promise<void> =>
  new Promise((resolve) => {
    const onWritable = (): void => {
      for (const event of ['drain', 'close', 'error']) stream.off(event, onWritable);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stream.on(event, onWritable);
  });

/** Connects services in separate processes. Callers and callees must use the same link. */
export type RpcLink = {
  connect: (options: GrpcTransportOptions) => Transport;
  /** Registers further gRPC methods at the server, if the transports of `connect` need any. */
  addTo: (server: Server, options: RpcLinkOptions) => void;
};

export type RpcLinkOptions = {
  dispatcher: Dispatcher;
  /** Returns the caller's name. Throws CALLER_REFUSED for an invalid token. */
  verifyCaller: (token: string) => string;
};

export const plainGrpc: RpcLink = { connect: createGrpcTransport, addTo: () => {} };
