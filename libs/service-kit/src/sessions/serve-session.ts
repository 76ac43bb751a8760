import type { DescMethod } from '@bufbuild/protobuf';
import { Metadata } from '@grpc/grpc-js';
import { cancelled, deadlineExceeded, invalidRequest, ServiceError } from '@witan/contracts';
import type { CallStart, Frame, SessionFrames } from '@witan/contracts';
import type { Dispatcher } from '../rpc/dispatcher.ts';
import { METADATA } from '../rpc/grpc-method.ts';
import { toGrpcStatus } from '../rpc/status.ts';
import { createFrame, errorFrame, methodName, SESSION_CALL_ID } from './frames.ts';
import { createFrameWriter } from './frame-writer.ts';
import { serveCall } from './serve-call.ts';
import type { ServedCall } from './serve-call.ts';
import type { ServerSessionStream } from './frames.ts';

type SessionOptions = {
  dispatcher: Dispatcher;
  verifyCaller: (token: string) => string;
};

/**
 * Returns a handler of session streams. It verifies the caller's token only when a session opens,
 * so a session can outlive its token; the call graph is checked for every call.
 */
export const createSessionHandler = (
  options: SessionOptions,
): ((stream: ServerSessionStream) => void) => {
  const { dispatcher, verifyCaller } = options;
  const methods = sessionMethods(dispatcher);
  return (stream) => {
    try {
      const caller = verifyCaller(String(stream.metadata.get(METADATA.token)[0] ?? ''));
      // The client treats the session as open once it receives metadata.
      stream.sendMetadata(new Metadata());
      serveSession(stream, { dispatcher, methods, caller });
    } catch (error) {
      stream.emit('error', toGrpcStatus(error));
    }
  };
};

const sessionMethods = ({ implementations }: Dispatcher): Map<string, DescMethod> =>
  new Map(
    implementations
      .flatMap(({ service }) => service.methods)
      .filter(({ methodKind }) => methodKind === 'unary' || methodKind === 'server_streaming')
      .map((method) => [methodName(method), method]),
  );

type SessionContext = {
  dispatcher: Dispatcher;
  methods: ReadonlyMap<string, DescMethod>;
  caller: string;
};

/**
 * Serves the calls of one session. When its stream breaks, the calls are aborted and their handlers
 * run to the end. When the server stops, it asks the client to start no more calls.
 */
const serveSession = (
  stream: ServerSessionStream,
  { dispatcher, methods, caller }: SessionContext,
): void => {
  const calls = new Map<number, ServedCall>();
  const writer = createFrameWriter((frames, onWritten) => stream.write(frames, onWritten));
  let lastId = SESSION_CALL_ID;
  let isDraining = false;
  let isClosed = false;

  const endWhenIdle = (): void => {
    if (isDraining && calls.size === 0) writer.end(() => stream.end());
  };
  const onEnded = (id: number): void => {
    calls.delete(id);
    endWhenIdle();
  };
  const onStart = (id: number, start: CallStart): void => {
    if (id <= lastId) throw invalidRequest('A session named two calls alike.');
    lastId = id;
    const method = methods.get(start.method);
    if (!method) return writer.send(errorFrame(id, unknownMethod()));
    const call = serveCall({ id, start, method, caller, dispatcher, writer, onEnded });
    calls.set(id, call);
    if (start.data) call.onData(start.data);
  };
  const onFrame = ({ callId, kind }: Frame): void => {
    if (kind.case === 'start') onStart(callId, kind.value);
    else if (kind.case === 'data') calls.get(callId)?.onData(kind.value);
    else if (kind.case === 'credit') calls.get(callId)?.onCredit(kind.value.bytes);
    else if (kind.case === 'cancel') {
      // Drops unsent fragments of the response, which may be pending even after the handler has
      // ended.
      writer.drop(callId);
      calls.get(callId)?.cancel(kind.value.deadlineExceeded ? deadlineExceeded() : cancelled());
    }
  };
  const goAway = (): void =>
    writer.send(createFrame(SESSION_CALL_ID, { case: 'goingAway', value: {} }));
  const onClose = (): void => {
    isClosed = true;
    dispatcher.stopping.removeEventListener('abort', goAway);
    writer.close();
    for (const call of calls.values()) call.cancel(cancelled());
  };

  stream.on('data', ({ frames }: SessionFrames) => {
    // Frames that arrive after the session broke must not start calls.
    if (isClosed) return;
    try {
      for (const frame of frames) onFrame(frame);
    } catch (error) {
      stream.emit('error', toGrpcStatus(error));
    }
  });
  stream.on('end', () => {
    isDraining = true;
    endWhenIdle();
  });
  // All three events mean that the stream is over; grpc-js emits `cancelled` even for a stream that
  // ended normally.
  for (const event of ['cancelled', 'error', 'close']) stream.on(event, onClose);
  if (dispatcher.stopping.aborted) goAway();
  else dispatcher.stopping.addEventListener('abort', goAway, { once: true });
};

const unknownMethod = (): ServiceError =>
  new ServiceError('NOT_IMPLEMENTED', 'The service has no such call, or not over a session.');
