import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { CallData, CallStart, Frame } from '@witan/contracts';
import { openCall } from '../rpc/call.ts';
import type { Call } from '../rpc/call.ts';
import type { Dispatcher, Sink } from '../rpc/dispatcher.ts';
import {
  assembleMessage,
  assertMessageFits,
  createData,
  createDataFrame,
  createFrame,
  errorFrame,
} from './frames.ts';
import type { Assembly } from './frames.ts';
import { createCredit } from './credit.ts';
import type { FrameWriter } from './frame-writer.ts';

export type ServedCall = {
  onData: (data: CallData) => void;
  onCredit: (bytes: number) => void;
  cancel: (reason: unknown) => void;
};

type ServeOptions = {
  id: number;
  start: CallStart;
  method: DescMethod;
  caller: string;
  dispatcher: Dispatcher;
  writer: FrameWriter;
  onEnded: (id: number) => void;
};

export const serveCall = (options: ServeOptions): ServedCall => {
  const { id, start, method, caller, dispatcher, writer } = options;
  const { workspaceId, requestId, actorId, timeoutMs } = start;
  const identity = { caller, workspaceId, requestId, actorId };
  const { call, abort, close } = openCall(identity, dispatcher.stopping, { timeoutMs });
  const request: Assembly = {};
  const credit = createCredit(start.creditBytes);
  let state: 'receiving' | 'running' | 'over' = 'receiving';
  let isCancelled = false;

  const finish = (last: Frame): void => {
    if (state === 'over') return;
    state = 'over';
    if (!isCancelled) writer.send(last);
    call.signal.removeEventListener('abort', onAbort);
    close();
    options.onEnded(id);
  };
  const fail = (error: unknown): void => finish(errorFrame(id, error));
  /**
   * Ends a call whose request is not complete yet. If the handler already runs, it continues to its
   * end.
   */
  const onAbort = (): void => {
    credit.release();
    if (state === 'receiving') fail(call.signal.reason);
  };
  const sink: Sink = (message) => {
    try {
      const bytes = encode(method, message);
      writer.send(createDataFrame(id, createData(bytes)));
      return credit.spend(bytes.length);
    } catch (error) {
      // Throwing here would stop the handler before its end.
      abort(error);
      return undefined;
    }
  };
  const run = async (bytes: Uint8Array): Promise<void> => {
    state = 'running';
    try {
      const message = fromBinary(method.input, bytes);
      const work = (): Promise<Frame> =>
        runHandler({ id, method, call, dispatcher, sink }, message);
      // Based on the root context, because the active context belongs to the session and not to
      // this call.
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
        const bytes = assembleMessage(request, data);
        if (bytes) void run(bytes);
      } catch (error) {
        fail(error);
      }
    },
    onCredit: credit.add,
    cancel: (reason) => {
      isCancelled = true;
      abort(reason);
    },
  };
};

type Execution = Pick<ServeOptions, 'id' | 'method' | 'dispatcher'> & { call: Call; sink: Sink };

const runHandler = async (execution: Execution, request: Message): Promise<Frame> => {
  const { id, method, dispatcher, call, sink } = execution;
  if (method.methodKind === 'unary') {
    const message = await dispatcher.unary(method, request, call);
    return createDataFrame(id, createData(encode(method, message)));
  }
  await dispatcher.stream(method, request, call, sink);
  return createFrame(id, { case: 'end', value: {} });
};

const encode = (method: DescMethod, message: Message): Uint8Array => {
  const bytes = toBinary(method.output, message);
  assertMessageFits(bytes.length);
  return bytes;
};
