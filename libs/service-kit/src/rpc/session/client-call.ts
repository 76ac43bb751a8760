import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { context, propagation } from '@opentelemetry/api';
import type { CallData, ErrorDetail, Frame, ServiceError } from '@witan/contracts';
import { TIMER_MAX_MS } from '../call.ts';
import type { CallOptions } from '../call.ts';
import { fromErrorDetail, toPublicError } from '../status.ts';
import { assemble, assertMessageFits } from './assemble.ts';
import type { Assembly } from './assemble.ts';
import { CREDIT_BYTES, creditFor } from './credit.ts';
import { createData, createFrame, methodName } from './frames.ts';
import type { Outbox } from './outbox.ts';
import { startClock } from './start-clock.ts';

/** Who waits for a call. After `onEnd` or `onFailure` nothing more comes. */
export type Receiver = {
  /** An answer, and how much credit it took. The answer of a unary call is its end. */
  onMessage: (message: Message, credit: number) => void;
  onEnd: () => void;
  onFailure: (error: unknown) => void;
};

/** What is to be called, and who waits for it. */
export type CallToStart = {
  method: DescMethod;
  request: Message;
  options: CallOptions;
  receiver: Receiver;
};

/** A call as its caller holds it. */
export type StartedCall = {
  /** The reader took this much. */
  grant: (bytes: number) => void;
  /** Nobody reads any more: calls the server off, and the receiver hears nothing further. */
  leave: () => void;
};

/** A call as its session holds it. */
export type ClientCall = StartedCall & {
  onData: (data: CallData) => void;
  onEnd: () => void;
  onError: (detail: ErrorDetail) => void;
  /** The session broke. */
  fail: (error: unknown) => void;
};

type ClientCallContext = {
  id: number;
  outbox: Outbox;
  /** Runs once, when the call is over. */
  onOver: (id: number) => void;
};

/** Sends a call and hands on what comes of it. Throws REQUEST_TOO_LARGE before it sends. */
export const startClientCall = (
  call: CallToStart,
  { id, outbox, onOver }: ClientCallContext,
): ClientCall => {
  const { method, options, receiver } = call;
  const answer: Assembly = {};
  let isOver = false;

  /** True once: for the one that ends the call. */
  const end = (): boolean => {
    if (isOver) return false;
    isOver = true;
    stopClock();
    onOver(id);
    return true;
  };
  const cancel = (deadlineExceeded: boolean): boolean => {
    if (isOver) return false;
    // Before the end: the end of its last call may end the session.
    outbox.send(createFrame(id, { case: 'cancel', value: { deadlineExceeded } }));
    return end();
  };
  const onStop = (reason: ServiceError): void => {
    if (cancel(reason.reason === 'DEADLINE_EXCEEDED')) receiver.onFailure(reason);
  };
  const receive = (bytes: Uint8Array): void => {
    const message = fromBinary(method.output, bytes);
    if (method.methodKind === 'unary') end();
    receiver.onMessage(message, creditFor(bytes.length));
  };
  outbox.send(startFrame(id, call));
  const stopClock = startClock(options, onStop);
  return {
    onData: (data) => {
      try {
        const bytes = assemble(answer, data);
        if (bytes) receive(bytes);
      } catch (error) {
        if (cancel(false)) receiver.onFailure(toPublicError(error));
      }
    },
    onEnd: () => {
      if (end()) receiver.onEnd();
    },
    onError: (detail) => {
      if (end()) receiver.onFailure(fromErrorDetail(detail));
    },
    fail: (error) => {
      if (end()) receiver.onFailure(error);
    },
    grant: (bytes) => {
      if (!isOver) outbox.send(createFrame(id, { case: 'credit', value: { bytes } }));
    },
    leave: () => void cancel(false),
  };
};

const startFrame = (id: number, { method, request, options }: CallToStart): Frame => {
  const bytes = toBinary(method.input, request);
  assertMessageFits(bytes.length);
  const trace: Record<string, string> = {};
  propagation.inject(context.active(), trace);
  const start = {
    method: methodName(method),
    workspaceId: options.workspaceId ?? '',
    requestId: options.requestId ?? '',
    timeoutMs: Math.min(Math.max(1, Math.ceil(options.timeoutMs)), TIMER_MAX_MS),
    trace,
    data: createData(bytes),
    creditBytes: CREDIT_BYTES,
  };
  return createFrame(id, { case: 'start', value: start });
};
