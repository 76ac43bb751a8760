import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { CallData, CallStart, Frame } from '@witan/contracts';
import { openCall } from '../call.ts';
import type { Call } from '../call.ts';
import type { Dispatcher, Sink } from '../dispatcher.ts';
import { assemble, assertMessageFits } from './assemble.ts';
import type { Assembly } from './assemble.ts';
import { createCredit } from './credit.ts';
import { createData, createDataFrame, createFrame, errorFrame } from './frames.ts';
import type { Outbox } from './outbox.ts';

/** A call at the server: its request is coming, or its handler runs. */
export type ServedCall = {
  /** Another fragment of the request. */
  onData: (data: CallData) => void;
  onCredit: (bytes: number) => void;
  /** Nobody waits any more: aborts the handler with `reason` and sends nothing more. */
  cancel: (reason: unknown) => void;
};

type ServeOptions = {
  id: number;
  start: CallStart;
  method: DescMethod;
  /** Name of the calling service, verified. */
  caller: string;
  dispatcher: Dispatcher;
  outbox: Outbox;
  /** Runs once, when the handler came to its end or never ran. */
  onOver: (id: number) => void;
};

/** Answers one call of a session as a gRPC server answers a call of its own. */
export const serveCall = (options: ServeOptions): ServedCall => {
  const { id, start, method, caller, dispatcher, outbox } = options;
  const { workspaceId, requestId, timeoutMs } = start;
  const identity = { caller, workspaceId, requestId };
  const { call, abort, close } = openCall(identity, dispatcher.stopping, { timeoutMs });
  const request: Assembly = {};
  const credit = createCredit(start.creditBytes);
  let state: 'receiving' | 'running' | 'over' = 'receiving';
  let isWanted = true;

  const finish = (last: Frame): void => {
    if (state === 'over') return;
    state = 'over';
    if (isWanted) outbox.send(last);
    call.signal.removeEventListener('abort', onAbort);
    close();
    options.onOver(id);
  };
  const fail = (error: unknown): void => finish(errorFrame(id, error));
  /** A handler that runs is driven to its end; a request that never became whole has none. */
  const onAbort = (): void => {
    credit.release();
    if (state === 'receiving') fail(call.signal.reason);
  };
  const sink: Sink = (message) => {
    try {
      const bytes = encode(method, message);
      outbox.send(createDataFrame(id, createData(bytes)));
      return credit.take(bytes.length);
    } catch (error) {
      // To throw here would stop the handler in the middle.
      abort(error);
      return undefined;
    }
  };
  const run = async (bytes: Uint8Array): Promise<void> => {
    state = 'running';
    try {
      const message = fromBinary(method.input, bytes);
      const work = (): Promise<Frame> => answer({ id, method, call, dispatcher, sink }, message);
      // A session outlives the call that happened to open it: its context must not leak in.
      finish(await context.with(propagation.extract(ROOT_CONTEXT, start.trace), work));
    } catch (error) {
      fail(error);
    }
  };

  call.signal.addEventListener('abort', onAbort, { once: true });
  return {
    onData: (data) => {
      if (state !== 'receiving') return;
      try {
        const bytes = assemble(request, data);
        if (bytes) void run(bytes);
      } catch (error) {
        fail(error);
      }
    },
    onCredit: credit.give,
    cancel: (reason) => {
      isWanted = false;
      abort(reason);
    },
  };
};

type Answering = Pick<ServeOptions, 'id' | 'method' | 'dispatcher'> & { call: Call; sink: Sink };

/** Runs the handler; resolves to the frame that ends the call. */
const answer = async (answering: Answering, request: Message): Promise<Frame> => {
  const { id, method, dispatcher, call, sink } = answering;
  if (method.methodKind === 'unary') {
    const message = await dispatcher.unary(method, request, call);
    return createDataFrame(id, createData(encode(method, message)));
  }
  await dispatcher.stream(method, request, call, sink);
  return createFrame(id, { case: 'end', value: {} });
};

/** Throws REQUEST_TOO_LARGE for an answer that is larger than a message may be. */
const encode = (method: DescMethod, message: Message): Uint8Array => {
  const bytes = toBinary(method.output, message);
  assertMessageFits(bytes.length);
  return bytes;
};
