import { unavailable } from '@witan/contracts';
import type { Frame, SessionFrames } from '@witan/contracts';
import { startClientCall } from './client-call.ts';
import type { CallToStart, ClientCall, StartedCall } from './client-call.ts';
import { SESSION_CALL_ID } from './frames.ts';
import { createFrameWriter } from './frame-writer.ts';
import type { ClientSessionStream } from './frames.ts';

export type ClientSession = {
  /**
   * Starts a call. Throws UNAVAILABLE when the session is draining or closed, and REQUEST_TOO_LARGE
   * for a request above the size limit.
   */
  start: (call: CallToStart) => StartedCall;
  /** Accepts no more calls and ends the session when its last call ends. */
  drain: () => void;
};

export type SessionEvents = {
  onOpen: () => void;
  onGoingAway: () => void;
  onClose: (error?: Error) => void;
};

/**
 * Creates a session, which runs many calls over one gRPC stream. When the stream breaks, its calls
 * fail; the session does not retry them.
 */
export const createClientSession = (
  stream: ClientSessionStream,
  events: SessionEvents,
): ClientSession => {
  const calls = new Map<number, ClientCall>();
  const writer = createFrameWriter((frames, onWritten) => void stream.write(frames, onWritten));
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
  const onFrame = ({ callId, kind }: Frame): void => {
    if (kind.case === 'data') calls.get(callId)?.onData(kind.value);
    else if (kind.case === 'end') calls.get(callId)?.onEnd();
    else if (kind.case === 'error') calls.get(callId)?.onError(kind.value);
    else if (kind.case === 'goingAway') events.onGoingAway();
  };
  const onClose = (error?: Error): void => {
    if (isClosed) return;
    isClosed = true;
    writer.close();
    const failure = unavailable('A service that this call needs went away.', error);
    for (const call of calls.values()) call.fail(failure);
    events.onClose(error);
  };

  stream.on('metadata', events.onOpen);
  stream.on('data', ({ frames }: SessionFrames) => {
    for (const frame of frames) onFrame(frame);
  });
  stream.on('end', () => onClose());
  stream.on('error', onClose);
  return {
    start: (call) => {
      if (isDraining || isClosed) throw unavailable('A service that this call needs went away.');
      lastId += 1;
      const started = startClientCall(call, { id: lastId, writer, onEnded });
      calls.set(lastId, started);
      return started;
    },
    drain: () => {
      isDraining = true;
      endWhenIdle();
    },
  };
};
