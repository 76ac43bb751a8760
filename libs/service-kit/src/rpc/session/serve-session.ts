import type { DescMethod } from '@bufbuild/protobuf';
import { Metadata } from '@grpc/grpc-js';
import { cancelled, deadlineExceeded, invalidRequest, ServiceError } from '@witan/contracts';
import type { CallStart, Frame, SessionFrames } from '@witan/contracts';
import type { Dispatcher } from '../dispatcher.ts';
import { METADATA } from '../grpc-method.ts';
import { toGrpcStatus } from '../status.ts';
import { createFrame, errorFrame, methodName, SESSION_ID } from './frames.ts';
import { createOutbox } from './outbox.ts';
import { serveCall } from './serve-call.ts';
import type { ServedCall } from './serve-call.ts';
import type { ServerSessionStream } from './session-method.ts';

type SessionOptions = {
  dispatcher: Dispatcher;
  /** Answers the caller's name or throws CALLER_REFUSED. */
  verifyCaller: (token: string) => string;
};

/**
 * Answers sessions with a dispatcher's handlers. The caller's token is verified when a session
 * opens, so a session lasts a little longer than its token; each call of it is admitted on its
 * own.
 */
export const createSessionHandler = (
  options: SessionOptions,
): ((stream: ServerSessionStream) => void) => {
  const { dispatcher, verifyCaller } = options;
  const methods = sessionMethods(dispatcher);
  return (stream) => {
    try {
      const caller = verifyCaller(String(stream.metadata.get(METADATA.token)[0] ?? ''));
      // The client counts the session as open from here on.
      stream.sendMetadata(new Metadata());
      serveSession(stream, { dispatcher, methods, caller });
    } catch (error) {
      stream.emit('error', toGrpcStatus(error));
    }
  };
};

/** What may be called over a session, by the name that a start frame gives. */
const sessionMethods = ({ implementations }: Dispatcher): Map<string, DescMethod> =>
  new Map(
    implementations
      .flatMap(({ service }) => service.methods)
      .filter(({ methodKind }) => methodKind === 'unary' || methodKind === 'server_streaming')
      .map((method) => [methodName(method), method]),
  );

type Served = { dispatcher: Dispatcher; methods: ReadonlyMap<string, DescMethod>; caller: string };

/**
 * Runs one session. When it breaks, its calls are aborted and their handlers driven to their ends.
 * When the server winds up, the client is asked to finish what runs and to leave.
 */
const serveSession = (
  stream: ServerSessionStream,
  { dispatcher, methods, caller }: Served,
): void => {
  const calls = new Map<number, ServedCall>();
  const outbox = createOutbox((frames, onWritten) => stream.write(frames, onWritten));
  let lastId = SESSION_ID;
  let hasLeft = false;
  let isGone = false;

  const endWhenIdle = (): void => {
    if (hasLeft && calls.size === 0) outbox.end(() => stream.end());
  };
  const onOver = (id: number): void => {
    calls.delete(id);
    endWhenIdle();
  };
  const onStart = (id: number, start: CallStart): void => {
    if (id <= lastId) throw invalidRequest('A session named two calls alike.');
    lastId = id;
    const method = methods.get(start.method);
    if (!method) return outbox.send(errorFrame(id, noSuchMethod()));
    const call = serveCall({ id, start, method, caller, dispatcher, outbox, onOver });
    calls.set(id, call);
    if (start.data) call.onData(start.data);
  };
  const onFrame = ({ callId, kind }: Frame): void => {
    if (kind.case === 'start') onStart(callId, kind.value);
    else if (kind.case === 'data') calls.get(callId)?.onData(kind.value);
    else if (kind.case === 'credit') calls.get(callId)?.onCredit(kind.value.bytes);
    else if (kind.case === 'cancel') {
      // An answer may still be on its way when its handler is done.
      outbox.drop(callId);
      calls.get(callId)?.cancel(kind.value.deadlineExceeded ? deadlineExceeded() : cancelled());
    }
  };
  const goAway = (): void => outbox.send(createFrame(SESSION_ID, { case: 'goingAway', value: {} }));
  const onGone = (): void => {
    isGone = true;
    dispatcher.stopping.removeEventListener('abort', goAway);
    outbox.close();
    for (const call of calls.values()) call.cancel(cancelled());
  };

  stream.on('data', ({ frames }: SessionFrames) => {
    // What a broken session still brings must start nothing.
    if (isGone) return;
    try {
      for (const frame of frames) onFrame(frame);
    } catch (error) {
      stream.emit('error', toGrpcStatus(error));
    }
  });
  stream.on('end', () => {
    hasLeft = true;
    endWhenIdle();
  });
  // grpc-js fires `cancelled` on every finished stream, whatever finished it.
  for (const event of ['cancelled', 'error', 'close']) stream.on(event, onGone);
  if (dispatcher.stopping.aborted) goAway();
  else dispatcher.stopping.addEventListener('abort', goAway, { once: true });
};

const noSuchMethod = (): ServiceError =>
  new ServiceError('NOT_IMPLEMENTED', 'The service has no such call, or not over a session.');
