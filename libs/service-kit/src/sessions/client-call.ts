import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { context, propagation } from '@opentelemetry/api';
import type { CallData, CallStart, ErrorDetail, Frame, ServiceError } from '@witan/contracts';
import { TIMER_MAX_MS, watchCall } from '../rpc/call.ts';
import type { CallOptions } from '../rpc/call.ts';
import { fromErrorDetail, toPublicError } from '../rpc/status.ts';
import {
  assembleMessage,
  assertMessageFits,
  createData,
  createFrame,
  createStartFrame,
  methodName,
} from './frames.ts';
import type { Assembly } from './frames.ts';
import { CREDIT_BYTES, creditFor } from './credit.ts';
import type { FrameWriter } from './frame-writer.ts';

/** Receives the responses of a call. No function is called again after `onEnd` or `onFailure`. */
export type Receiver = {
  /**
   * `credit` is the flow-control credit that the message used. A unary call ends with its only
   * message, without `onEnd`.
   */
  onMessage: (message: Message, credit: number) => void;
  onEnd: () => void;
  onFailure: (error: unknown) => void;
};

export type CallToStart = {
  method: DescMethod;
  request: Message;
  options: CallOptions;
  receiver: Receiver;
};

export type StartedCall = {
  grant: (bytes: number) => void;
  /** Cancels the call at the server. No function of the receiver is called again. */
  cancel: () => void;
};

export type ClientCall = StartedCall & {
  onData: (data: CallData) => void;
  onEnd: () => void;
  onError: (detail: ErrorDetail) => void;
  fail: (error: unknown) => void;
};

type ClientCallContext = {
  id: number;
  writer: FrameWriter;
  onEnded: (id: number) => void;
};

/**
 * Sends the request of a call. Throws REQUEST_TOO_LARGE, before anything is sent, if it exceeds the
 * size limit.
 */
export const startClientCall = (
  call: CallToStart,
  { id, writer, onEnded }: ClientCallContext,
): ClientCall => {
  const { method, options, receiver } = call;
  const response: Assembly = {};
  let hasEnded = false;

  const end = (): boolean => {
    if (hasEnded) return false;
    hasEnded = true;
    stopWatching();
    onEnded(id);
    return true;
  };
  const cancelCall = (deadlineExceeded: boolean): boolean => {
    if (hasEnded) return false;
    // Must be sent before `end` is called, because the session may end with its last call.
    writer.send(createFrame(id, { case: 'cancel', value: { deadlineExceeded } }));
    return end();
  };
  const onStop = (reason: ServiceError): void => {
    if (cancelCall(reason.reason === 'DEADLINE_EXCEEDED')) receiver.onFailure(reason);
  };
  const receive = (bytes: Uint8Array): void => {
    const message = fromBinary(method.output, bytes);
    if (method.methodKind === 'unary') end();
    receiver.onMessage(message, creditFor(bytes.length));
  };
  writer.send(startFrame(id, call));
  const stopWatching = watchCall(options, onStop);
  return {
    onData: (data) => {
      try {
        const bytes = assembleMessage(response, data);
        if (bytes) receive(bytes);
      } catch (error) {
        if (cancelCall(false)) receiver.onFailure(toPublicError(error));
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
      if (!hasEnded) writer.send(createFrame(id, { case: 'credit', value: { bytes } }));
    },
    cancel: () => cancelCall(false),
  };
};

const startFrame = (id: number, { method, request, options }: CallToStart): Frame => {
  const bytes = toBinary(method.input, request);
  assertMessageFits(bytes.length);
  const trace: Record<string, string> = {};
  propagation.inject(context.active(), trace);
  const start: CallStart = {
    $typeName: 'witan.rpc.v1.CallStart',
    method: methodName(method),
    workspaceId: options.workspaceId ?? '',
    requestId: options.requestId ?? '',
    actorId: options.actorId ?? '',
    timeoutMs: Math.min(Math.max(1, Math.ceil(options.timeoutMs)), TIMER_MAX_MS),
    trace,
    data: createData(bytes),
    creditBytes: CREDIT_BYTES,
  };
  return createStartFrame(id, start);
};
