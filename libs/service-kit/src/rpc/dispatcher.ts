import { create } from '@bufbuild/protobuf';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { context, trace } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { isServiceError, ServiceError } from '@witan/contracts';
import type { Log } from '../log/create-log.ts';
import { inServiceOf, withSpan } from '../telemetry/with-span.ts';
import type { Call } from './call.ts';
import type { EndedCall } from './call-metrics.ts';
import type { Implementation } from './service.ts';
import { toPublicError } from './status.ts';

/** Takes one answer of a stream; a promise asks the handler to wait. */
export type Sink = (message: Message) => Promise<void> | undefined;

/**
 * Runs calls against handlers, the same way whatever transport they came by: admission, span,
 * error carrying, and the rule that an aborted handler is driven to its end.
 */
export type Dispatcher = {
  readonly implementations: readonly Implementation[];
  /** Answers one message. Rejects with a ServiceError only. */
  unary: (method: DescMethod, request: Message, call: Call) => Promise<Message>;
  /** Feeds `sink` until the handler ends. Rejects with a ServiceError only. */
  stream: (
    method: DescMethod,
    request: Message | AsyncIterable<Message>,
    call: Call,
    sink: Sink,
  ) => Promise<void>;
  /** Aborts when the service winds up. */
  readonly stopping: AbortSignal;
  /** Tells long-lived streams to end and waits for running calls, up to `timeoutMs`. */
  drain: (timeoutMs: number) => Promise<void>;
};

/** What a handler answers: a message or the plain object to make it from. */
type Init = Record<string, unknown>;

/** Names of RPCs, by the name of their gRPC service. */
export type AllowedRpcs = Readonly<Record<string, readonly string[]>>;

type DispatcherOptions = {
  implementations: readonly Implementation[];
  /** The services that may call this one, by name, each with the RPCs that it may call. */
  callers: Readonly<Record<string, AllowedRpcs>>;
  log: Log;
  /** Of this service; absent: its spans are nobody's to see. */
  tracer?: Tracer | undefined;
  /** Hears of every call that ended. */
  onEnded?: (call: EndedCall) => void;
};

export const createDispatcher = (options: DispatcherOptions): Dispatcher => {
  const handlers = new Map(
    options.implementations.flatMap(({ service, handlers: functions }) =>
      service.methods.map((method) => [method, functions[method.localName]!] as const),
    ),
  );
  const callersOf = toCallersOf(options);
  const stopping = new AbortController();
  let running = 0;
  let onIdle = (): void => {};

  const observed = async <T>(method: DescMethod, call: Call, run: () => Promise<T>): Promise<T> => {
    running += 1;
    const name = nameOf(method);
    const isDuplex = method.methodKind === 'bidi_streaming';
    const startedAt = performance.now();
    let failure: ServiceError | undefined;
    try {
      return await inSpan(method, call, options.tracer, async () => {
        try {
          admit(callersOf, method, call);
          return await run();
        } catch (error) {
          const cause = toFailure(error, call);
          if (!isServiceError(cause)) {
            options.log.error(
              { event: 'rpc_failed', err: cause, rpc: name, requestId: call.requestId },
              'rpc failed',
            );
          }
          failure = toPublicError(cause);
          throw failure;
        }
      });
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      options.onEnded?.({ name, isDuplex, seconds, failure });
      running -= 1;
      if (running === 0) onIdle();
    }
  };

  return {
    implementations: options.implementations,
    stopping: stopping.signal,
    drain: async (timeoutMs) => {
      stopping.abort();
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    unary: (method, request, call) =>
      observed(method, call, async () => {
        const answer = (await handlers.get(method)!(request as never, call)) as Init;
        return create(method.output, answer);
      }),
    stream: (method, request, call, sink) =>
      observed(method, call, async () => {
        const events = handlers.get(method)!(request as never, call) as AsyncIterable<Init>;
        await drive(method, events, call, sink);
      }),
  };
};

const nameOf = (method: DescMethod): string => `${method.parent.typeName}/${method.name}`;

/** A duplex call that comes without a trace is a pipe: what travels in it has traces of its own. */
const inSpan = <T>(
  method: DescMethod,
  call: Call,
  tracer: Tracer | undefined,
  work: () => Promise<T>,
): Promise<T> => {
  if (!tracer) return work();
  const inService = inServiceOf(tracer, context.active());
  const isPipe = method.methodKind === 'bidi_streaming' && !trace.getSpan(inService);
  if (isPipe) return context.with(inService, work);
  const name = nameOf(method);
  const attributes = {
    'rpc.system.name': 'grpc',
    'rpc.method': name,
    'witan.caller': call.caller,
    'witan.workspace.id': call.workspaceId,
    'witan.request.id': call.requestId,
  };
  return context.with(inService, () => withSpan({ name, role: 'server', attributes }, work));
};

/**
 * Reads a handler to its end. After an abort what it yields is dropped, and it is still read, so
 * that it can finish its books: a handler is never stopped in the middle.
 */
const drive = async (
  method: DescMethod,
  events: AsyncIterable<Init>,
  call: Call,
  sink: Sink,
): Promise<void> => {
  for await (const event of events) {
    if (call.signal.aborted) continue;
    const room = sink(create(method.output, event));
    if (room) await room;
  }
  call.signal.throwIfAborted();
};

type CallersOf = ReadonlyMap<DescMethod, ReadonlySet<string>>;

const toCallersOf = ({ implementations, callers }: DispatcherOptions): CallersOf =>
  new Map(
    implementations
      .flatMap(({ service }) => service.methods)
      .map((method) => {
        const mayCall = ([, rpcs]: [string, AllowedRpcs]): boolean =>
          rpcs[method.parent.name]?.includes(method.name) ?? false;
        const names = Object.entries(callers)
          .filter(mayCall)
          .map(([name]) => name);
        return [method, new Set(names)] as const;
      }),
  );

const admit = (callersOf: CallersOf, method: DescMethod, call: Call): void => {
  if (callersOf.get(method)?.has(call.caller)) return;
  throw new ServiceError(
    'CALLER_REFUSED',
    `Service "${call.caller}" may not call ${nameOf(method)}; list it in deploy/call-graph.json.`,
  );
};

/** An abort surfaces as many kinds of error; what counts is why the call was aborted. */
const toFailure = (error: unknown, call: Call): unknown =>
  call.signal.aborted && !isServiceError(error) ? call.signal.reason : error;
