import type { DescMethod, Message } from '@bufbuild/protobuf';
import { cancelled, unavailable } from '@witan/contracts';
import { abortable } from '../schedule/abortable.ts';
import { openCall } from './call.ts';
import type { CallOptions, OpenedCall, StreamOptions } from './call.ts';
import { createChannel } from './channel.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Transport } from './transport.ts';

const STREAM_CAPACITY = 16;
const READY_POLL_MS = 10;
/** The signal of calls without one. */
const NEVER = new AbortController().signal;

type InProcessOptions = {
  caller: string;
  dispatcher: () => Dispatcher | undefined;
};

/**
 * Creates a transport to a service in the same process, without serialization. It behaves like
 * gRPC: errors lose their cause, deadlines and aborts take effect on both sides, the caller is
 * checked, and a handler can be at most STREAM_CAPACITY messages ahead of its caller.
 */
export const createInProcessTransport = (options: InProcessOptions): Transport => {
  const target = (): Dispatcher => {
    const dispatcher = options.dispatcher();
    if (!dispatcher) throw unavailable('A service that this call needs is not running.');
    return dispatcher;
  };
  const open = (dispatcher: Dispatcher, callOptions: StreamOptions): OpenedCall => {
    const { workspaceId = '', requestId = '', actorId = '', signal } = callOptions;
    if (signal?.aborted) throw cancelled();
    const identity = { caller: options.caller, workspaceId, requestId, actorId };
    return openCall(identity, dispatcher.stopping, callOptions);
  };

  async function* stream(
    method: DescMethod,
    request: Message | AsyncIterable<Message>,
    callOptions: StreamOptions,
  ): AsyncGenerator<Message> {
    const dispatcher = target();
    const { call, abort, close } = open(dispatcher, callOptions);
    const channel = createChannel<Message>(STREAM_CAPACITY, () => abort(cancelled()));
    call.signal.addEventListener('abort', () => channel.fail(call.signal.reason), { once: true });
    void dispatcher
      .stream(method, request, call, channel.push)
      .then(channel.end, channel.fail)
      .finally(close);
    yield* channel;
  }

  return {
    unary: async (method, request, callOptions: CallOptions) => {
      const dispatcher = target();
      const { call, close } = open(dispatcher, callOptions);
      return await abortable(
        () => dispatcher.unary(method, request, call).finally(close),
        call.signal,
      );
    },
    direct: (method) => {
      const dispatcher = target();
      const run = dispatcher.direct(method);
      if (!run) return undefined;
      return (request, { workspaceId = '', requestId = '', actorId = '', signal }, extra) => {
        const identity = { caller: options.caller, workspaceId, requestId, actorId };
        const call = { ...identity, signal: signal ?? NEVER, stopping: dispatcher.stopping };
        return run(request, call, extra);
      };
    },
    serverStream: stream,
    duplex: stream,
    ready: (timeoutMs) => waitUntilRunning(options.dispatcher, timeoutMs),
    close: async () => {},
  };
};

const waitUntilRunning = async (
  dispatcher: () => Dispatcher | undefined,
  timeoutMs: number,
): Promise<void> => {
  const deadline = Date.now() + timeoutMs;
  while (!dispatcher()) {
    if (Date.now() > deadline) throw unavailable('A service that this call needs is not running.');
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
  }
};
