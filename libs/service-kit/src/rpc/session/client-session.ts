import { unavailable } from '@witan/contracts';
import type { Frame, SessionFrames } from '@witan/contracts';
import { startClientCall } from './client-call.ts';
import type { CallToStart, ClientCall, StartedCall } from './client-call.ts';
import { SESSION_ID } from './frames.ts';
import { createOutbox } from './outbox.ts';
import type { ClientSessionStream } from './session-method.ts';

/** The client's end of a session. */
export type ClientSession = {
  /** Throws UNAVAILABLE when the session is over, REQUEST_TOO_LARGE when no server takes it. */
  start: (call: CallToStart) => StartedCall;
  /** Takes no more calls and ends when the last one ended. */
  leave: () => void;
};

/** What becomes of a session. */
export type SessionEvents = {
  /** The server accepted the session. */
  onOpen: () => void;
  /** The server winds up: no more calls, please. */
  onGoingAway: () => void;
  /** It is over, and its calls have failed. `error` is what gRPC said, absent after a clean end. */
  onGone: (error?: Error) => void;
};

/** Runs calls over one stream. A call is never sent twice: when the stream breaks, it fails. */
export const createClientSession = (
  stream: ClientSessionStream,
  events: SessionEvents,
): ClientSession => {
  const calls = new Map<number, ClientCall>();
  const outbox = createOutbox((frames, onWritten) => void stream.write(frames, onWritten));
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
  const onFrame = ({ callId, kind }: Frame): void => {
    if (kind.case === 'data') calls.get(callId)?.onData(kind.value);
    else if (kind.case === 'end') calls.get(callId)?.onEnd();
    else if (kind.case === 'error') calls.get(callId)?.onError(kind.value);
    else if (kind.case === 'goingAway') events.onGoingAway();
  };
  const onGone = (error?: Error): void => {
    if (isGone) return;
    isGone = true;
    outbox.close();
    const failure = unavailable('A service that this call needs went away.', error);
    for (const call of calls.values()) call.fail(failure);
    events.onGone(error);
  };

  stream.on('metadata', events.onOpen);
  stream.on('data', ({ frames }: SessionFrames) => {
    for (const frame of frames) onFrame(frame);
  });
  stream.on('end', () => onGone());
  stream.on('error', onGone);
  return {
    start: (call) => {
      if (hasLeft || isGone) throw unavailable('A service that this call needs went away.');
      lastId += 1;
      const started = startClientCall(call, { id: lastId, outbox, onOver });
      calls.set(lastId, started);
      return started;
    },
    leave: () => {
      hasLeft = true;
      endWhenIdle();
    },
  };
};
