import { create } from '@bufbuild/protobuf';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { isServiceError, ServiceError } from '@witan/contracts';
import type { Log } from '../log/create-log.ts';
import { withSpan } from '../telemetry/with-span.ts';
import type { Call } from './call.ts';
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

type DispatcherOptions = {
  implementations: readonly Implementation[];
  /** Names of the services that may call this one. */
  callers: readonly string[];
  log: Log;
};

export const createDispatcher = (options: DispatcherOptions): Dispatcher => {
  const handlers = new Map(
    options.implementations.flatMap(({ service, handlers: functions }) =>
      service.methods.map((method) => [method, functions[method.localName]!] as const),
    ),
  );
  const callers = new Set(options.callers);
  const stopping = new AbortController();
  let running = 0;
  let onIdle = (): void => {};

  const observed = async <T>(method: DescMethod, call: Call, run: () => Promise<T>): Promise<T> => {
    running += 1;
    const name = `${method.parent.typeName}/${method.name}`;
    try {
      admit(callers, call);
      return await withSpan({ name, role: 'server' }, run);
    } catch (error) {
      const failure = toFailure(error, call);
      if (!isServiceError(failure)) {
        options.log.error({ err: failure, rpc: name, requestId: call.requestId }, 'rpc failed');
      }
      throw toPublicError(failure);
    } finally {
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

const admit = (callers: ReadonlySet<string>, call: Call): void => {
  if (callers.has(call.caller)) return;
  throw new ServiceError(
    'CALLER_REFUSED',
    `Service "${call.caller}" may not call this service; add it to deploy/call-graph.json.`,
  );
};

/** An abort surfaces as many kinds of error; what counts is why the call was aborted. */
const toFailure = (error: unknown, call: Call): unknown =>
  call.signal.aborted && !isServiceError(error) ? call.signal.reason : error;
