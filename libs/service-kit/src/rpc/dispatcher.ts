import { create } from '@bufbuild/protobuf';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { context, trace } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { isServiceError, ServiceError } from '@witan/contracts';
import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Log } from '../log/create-log.ts';
import { withTracer, withSpan } from '../telemetry/with-span.ts';
import type { Call } from './call.ts';
import type { Implementation } from './transport.ts';
import { toPublicError } from './status.ts';

/**
 * Sends one message of a stream. Returns a promise to await before sending more when the receiver's
 * buffer is full.
 */
export type Sink = (message: Message) => Promise<void> | undefined;

/**
 * Runs the handlers of calls from any transport: checks that the caller is allowed, opens a span,
 * converts errors, and lets the handler of an aborted call run to its end.
 */
export type Dispatcher = {
  readonly implementations: readonly Implementation[];
  unary: (method: DescMethod, request: Message, call: Call) => Promise<Message>;
  /**
   * Runs a streaming handler to its end and passes its responses to `sink`. Rejects only with a
   * ServiceError.
   */
  stream: (
    method: DescMethod,
    request: Message | AsyncIterable<Message>,
    call: Call,
    sink: Sink,
  ) => Promise<void>;
  /** Returns the function for callers of this process; it rejects only with a ServiceError. */
  direct: (
    method: DescMethod,
  ) => ((request: object, call: Call, extra?: object) => Promise<unknown>) | undefined;
  readonly stopping: AbortSignal;
  drain: (timeoutMs: number) => Promise<void>;
};

type MessageInit = Record<string, unknown>;

export type AllowedRpcs = Readonly<Record<string, readonly string[]>>;

type DispatcherOptions = {
  implementations: readonly Implementation[];
  callers: Readonly<Record<string, AllowedRpcs>>;
  log: Log;
  tracer?: Tracer | undefined;
  onEnded?: (call: EndedCall) => void;
};

export const createDispatcher = (options: DispatcherOptions): Dispatcher => {
  const handlers = indexHandlers(options.implementations);
  const directFunctions = indexDirect(options.implementations);
  const callersByMethod = groupCallers(options);
  const stopping = new AbortController();
  let running = 0;
  let onIdle: (() => void) | undefined;

  const observe = async <T>(method: DescMethod, call: Call, run: () => Promise<T>): Promise<T> => {
    running += 1;
    const name = nameOf(method);
    const isDuplex = method.methodKind === 'bidi_streaming';
    const startedAt = performance.now();
    let failure: ServiceError | undefined;
    try {
      return await inSpan(method, call, options.tracer, async () => {
        try {
          assertMayCall(callersByMethod, method, call);
          return await run();
        } catch (error) {
          const cause = toFailure(error, call);
          if (!isServiceError(cause)) logUnexpected(options.log, cause, { name, call });
          failure = toPublicError(cause);
          throw failure;
        }
      });
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      options.onEnded?.({ name, isDuplex, seconds, failure });
      running -= 1;
      if (running === 0) onIdle?.();
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
    direct: (method) => {
      const run = directFunctions.get(method);
      const runWith = (request: object, call: Call, extra?: object) =>
        observe(method, call, () => run!(request as never, call, extra as never));
      return run && runWith;
    },
    unary: (method, request, call) =>
      observe(method, call, async () => {
        const response = (await handlers.get(method)!(request as never, call)) as MessageInit;
        return create(method.output, response);
      }),
    stream: (method, request, call, sink) =>
      observe(method, call, async () => {
        const events = handlers.get(method)!(request as never, call) as AsyncIterable<MessageInit>;
        await runToEnd(method, events, call, sink);
      }),
  };
};

const logUnexpected = (
  log: Log,
  err: unknown,
  { name, call: { requestId } }: { name: string; call: Call },
): void =>
  log.error(
    { event: 'rpc_failed', err, rpc: name, requestId },
    'RPC handler threw an unexpected error',
  );

const indexHandlers = (implementations: readonly Implementation[]) =>
  new Map(
    implementations.flatMap(({ service, handlers: functions }) =>
      service.methods.map((method) => [method, functions[method.localName]!] as const),
    ),
  );

const indexDirect = (implementations: readonly Implementation[]) =>
  new Map(
    implementations.flatMap(({ service, direct = {} }) =>
      Object.entries(direct).map(([name, run]) => [service.method[name]!, run] as const),
    ),
  );

const nameOf = (method: DescMethod): string => `${method.parent.typeName}/${method.name}`;

/**
 * Runs `work` in a span. A duplex call without a trace gets no span, because each of its messages
 * carries its own trace.
 */
const inSpan = <T>(
  method: DescMethod,
  call: Call,
  tracer: Tracer | undefined,
  work: () => Promise<T>,
): Promise<T> => {
  if (!tracer) return work();
  const serviceContext = withTracer(tracer, context.active());
  const carriesOwnTraces = method.methodKind === 'bidi_streaming' && !trace.getSpan(serviceContext);
  if (carriesOwnTraces) return context.with(serviceContext, work);
  const name = nameOf(method);
  const attributes = {
    'rpc.system.name': 'grpc',
    'rpc.method': name,
    'witan.caller': call.caller,
    'witan.workspace.id': call.workspaceId,
    'witan.request.id': call.requestId,
  };
  return context.with(serviceContext, () => withSpan({ name, role: 'server', attributes }, work));
};

/**
 * Passes the events of a handler to `sink`. After an abort the events are dropped but the handler
 * still runs to its end, so that it can settle its reservations.
 */
const runToEnd = async (
  method: DescMethod,
  events: AsyncIterable<MessageInit>,
  call: Call,
  sink: Sink,
): Promise<void> => {
  for await (const event of events) {
    if (call.signal.aborted) continue;
    const spaceAvailable = sink(create(method.output, event));
    if (spaceAvailable) await spaceAvailable;
  }
  call.signal.throwIfAborted();
};

type CallersByMethod = ReadonlyMap<DescMethod, ReadonlySet<string>>;

const groupCallers = ({ implementations, callers }: DispatcherOptions): CallersByMethod =>
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

const assertMayCall = (callersByMethod: CallersByMethod, method: DescMethod, call: Call): void => {
  if (callersByMethod.get(method)?.has(call.caller)) return;
  throw new ServiceError(
    'CALLER_REFUSED',
    `Service "${call.caller}" may not call ${nameOf(method)}; list it in deploy/call-graph.json.`,
  );
};

/**
 * Returns the error, or the abort reason if the call was aborted and the error is not a
 * ServiceError, because handlers of aborted calls fail with various errors.
 */
const toFailure = (error: unknown, call: Call): unknown =>
  call.signal.aborted && !isServiceError(error) ? call.signal.reason : error;

export type EndedCall = { name: string; isDuplex: boolean; seconds: number; failure?: unknown };

export const createCallMetrics = (registry: Registry): ((call: EndedCall) => void) => {
  const calls = new Counter({
    name: 'rpc_server_calls_total',
    help: 'Calls from other services, by method and outcome: ok or the reason.',
    labelNames: ['method', 'outcome'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'rpc_server_call_seconds',
    help: 'Duration of calls from other services in seconds, without duplex calls.',
    labelNames: ['method'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [registry],
  });
  return ({ name: method, isDuplex, seconds: durationSeconds, failure }) => {
    calls.inc({ method, outcome: outcomeOf(failure) });
    if (!isDuplex) seconds.observe({ method }, durationSeconds);
  };
};

const outcomeOf = (failure: unknown): string => {
  if (failure === undefined) return 'ok';
  return isServiceError(failure) ? failure.reason.toLowerCase() : 'internal';
};
