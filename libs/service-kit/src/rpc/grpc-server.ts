import type { EventEmitter } from 'node:events';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { Metadata, Server, ServerCredentials, ServerInterceptingCall } from '@grpc/grpc-js';
import type {
  handleBidiStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  sendUnaryData,
  ServerDuplexStream,
  ServerUnaryCall,
  ServerWritableStream,
  UntypedHandleCall,
  ServerInterceptor,
} from '@grpc/grpc-js';
import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { cancelled } from '@witan/contracts';
import { openCall } from './call.ts';
import type { OpenedCall } from './call.ts';
import type { Dispatcher, Sink } from './dispatcher.ts';
import { METADATA, MESSAGE_BYTES_MAX, toGrpcMethod, readMessages } from './grpc-method.ts';
import type { RpcLink } from './grpc-client.ts';
import { toGrpcStatus } from './status.ts';

type AnyServerCall =
  | ServerUnaryCall<Message, Message>
  | ServerWritableStream<Message, Message>
  | ServerDuplexStream<Message, Message>;
type StreamingCall = ServerWritableStream<Message, Message> | ServerDuplexStream<Message, Message>;

/**
 * Maximum age of a connection. Clients reconnect after it, so that new replicas get their share of
 * the load.
 */
const CONNECTION_AGE_MS = 5 * 60_000;
/**
 * Time that calls get to finish on a connection of maximum age. It exceeds the longest call plus
 * the time for which a session on the connection accepts calls.
 */
const CONNECTION_GRACE_MS = 17 * 60_000;

export type GrpcServer = {
  port: number;
  stop: (timeoutMs: number) => Promise<void>;
};

type GrpcServerOptions = {
  dispatcher: Dispatcher;
  verifyCaller: (token: string) => string;
  address: string;
  credentials?: ServerCredentials;
  link?: RpcLink;
  extend?: (server: Server) => void;
};

export const openGrpcServer = async (options: GrpcServerOptions): Promise<GrpcServer> => {
  const server = new Server({
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_connection_age_ms': CONNECTION_AGE_MS,
    'grpc.max_connection_age_grace_ms': CONNECTION_GRACE_MS,
    interceptors: [authenticateCallers(options.verifyCaller, pathsOf(options.dispatcher))],
  });
  for (const { service } of options.dispatcher.implementations) {
    server.addService(
      Object.fromEntries(service.methods.map((m) => [m.localName, toGrpcMethod(m)])),
      Object.fromEntries(service.methods.map((m) => [m.localName, toGrpcHandler(m, options)])),
    );
  }
  options.link?.addTo(server, options);
  options.extend?.(server);
  const credentials = options.credentials ?? ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(options.address, credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { port, stop: (timeoutMs) => stop(server, timeoutMs) };
};

/**
 * Returns the paths of the methods that require a caller token. Excludes those of `link`, which
 * verifies the token itself, and those of `extend`, such as health.
 */
const pathsOf = ({ implementations }: Dispatcher): ReadonlySet<string> =>
  new Set(
    implementations.flatMap(({ service }) =>
      service.methods.map((method) => toGrpcMethod(method).path),
    ),
  );

const toGrpcHandler = (method: DescMethod, options: GrpcServerOptions): UntypedHandleCall => {
  const { dispatcher } = options;
  const unary: handleUnaryCall<Message, Message> = (call, callback) => {
    void handleUnary(method, call, callback, options);
  };
  const stream: handleServerStreamingCall<Message, Message> = (call) => {
    void handleStream(call, options, (openedCall, sink) =>
      dispatcher.stream(method, call.request, openedCall.call, sink),
    );
  };
  const duplex: handleBidiStreamingCall<Message, Message> = (call) => {
    void handleStream(call, options, (openedCall, sink) =>
      dispatcher.stream(method, readRequests(call, openedCall.call.signal), openedCall.call, sink),
    );
  };
  if (method.methodKind === 'unary') return unary;
  return method.methodKind === 'server_streaming' ? stream : duplex;
};

const handleUnary = async (
  method: DescMethod,
  call: ServerUnaryCall<Message, Message>,
  callback: sendUnaryData<Message>,
  options: GrpcServerOptions,
): Promise<void> => {
  let openedCall: OpenedCall | undefined;
  try {
    openedCall = openServerCall(call, options);
    const { call: acceptedCall } = openedCall;
    const work = (): Promise<Message> =>
      options.dispatcher.unary(method, call.request, acceptedCall);
    callback(null, await context.with(remoteContext(call), work));
  } catch (error) {
    callback(toGrpcStatus(error));
  } finally {
    openedCall?.close();
  }
};

const handleStream = async (
  call: StreamingCall,
  options: GrpcServerOptions,
  run: (openedCall: OpenedCall, sink: Sink) => Promise<void>,
): Promise<void> => {
  let openedCall: OpenedCall | undefined;
  try {
    openedCall = openServerCall(call, options);
    const acceptedCall = openedCall;
    const sink: Sink = (message) =>
      call.write(message) ? undefined : waitForDrain(call, acceptedCall.call.signal);
    await context.with(remoteContext(call), () => run(acceptedCall, sink));
    call.end();
  } catch (error) {
    // Emits the error instead of calling `destroy(error)`, which would not send the status and
    // leave the client waiting.
    call.emit('error', toGrpcStatus(error));
  } finally {
    openedCall?.close();
  }
};

const openServerCall = (call: AnyServerCall, options: GrpcServerOptions): OpenedCall => {
  const read = (name: string): string => String(call.metadata.get(name)[0] ?? '');
  const deadline = Number(call.getDeadline());
  const openedCall = openCall(
    {
      caller: options.verifyCaller(read(METADATA.token)),
      workspaceId: read(METADATA.workspace),
      requestId: read(METADATA.requestId),
      actorId: read(METADATA.actor),
    },
    options.dispatcher.stopping,
    { timeoutMs: Number.isFinite(deadline) ? Math.max(0, deadline - Date.now()) : undefined },
  );
  let hasEnded = false;
  // grpc-js also emits `cancelled` after a call has ended normally.
  (call as EventEmitter).on('cancelled', () => {
    if (!hasEnded) openedCall.abort(cancelled());
  });
  const close = (): void => {
    hasEnded = true;
    openedCall.close();
  };
  return { ...openedCall, close };
};

/**
 * Returns the trace context that the caller sent. Based on the root context, because the active one
 * belongs to the connection and not to this call.
 */
const remoteContext = (call: AnyServerCall) =>
  propagation.extract(ROOT_CONTEXT, call.metadata, {
    get: (metadata: Metadata, key) => String(metadata.get(key)[0] ?? ''),
    keys: (metadata: Metadata) => Object.keys(metadata.getMap()),
  });

const waitForDrain = (call: StreamingCall, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const onDrain = (): void => {
      call.off('drain', onDrain);
      signal.removeEventListener('abort', onDrain);
      resolve();
    };
    call.on('drain', onDrain);
    signal.addEventListener('abort', onDrain, { once: true });
    if (signal.aborted) onDrain();
  });

/**
 * Yields the requests of a call. If the call is cancelled, the requests end without an error; the
 * handler can read the reason from its signal.
 */
async function* readRequests(
  call: ServerDuplexStream<Message, Message>,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const requests = readMessages(call);
  signal.addEventListener('abort', () => call.emit('end'), { once: true });
  yield* requests;
}

const stop = (server: Server, timeoutMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), timeoutMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/**
 * Rejects a call with an invalid caller token before its request is read; otherwise a request of up
 * to 40 MiB would be decoded first. Checks only the methods in `paths`.
 */
export const authenticateCallers =
  (verifyCaller: (token: string) => string, paths: ReadonlySet<string>): ServerInterceptor =>
  ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, acceptMetadata) => {
            try {
              if (paths.has(path)) verifyCaller(String(metadata.get(METADATA.token)[0] ?? ''));
            } catch (error) {
              call.sendStatus(toGrpcStatus(error));
              return;
            }
            acceptMetadata(metadata);
          },
        }),
    });
