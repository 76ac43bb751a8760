import type { Frame } from '@witan/contracts';
import { createTickBatcher } from '../tick-batcher.ts';
import { encodeFrames } from './encode-frames.ts';
import { dataOf } from './frames.ts';
import { createLanes, FRAGMENT_BYTES_MAX } from './lanes.ts';

/** What one message of the session may hold, in bytes. */
export const BATCH_BYTES_MAX = 256 * 1024;
/** Behind every load of small frames there is room for a fragment of this size at least. */
const FRAGMENT_BYTES_MIN = 32 * 1024;
/** A load of small frames is full when it has this much; the last of them may go above it. */
const SMALL_BYTES_MAX = BATCH_BYTES_MAX - FRAGMENT_BYTES_MAX - FRAGMENT_BYTES_MIN - 4 * 1024;
/** What is handed to the stream and not on its way yet: what a small frame may have to wait for. */
const UNWRITTEN_BYTES_MAX = 2 * BATCH_BYTES_MAX;
/** What a frame takes beside its message: tags, lengths, the id. */
const FRAME_BYTES = 32;
/** The same for a frame with names or texts in it. */
const NAMES_BYTES = 1024;

/** The sending half of a session. */
export type Outbox = {
  /** Sends a frame with those of the same turn, behind everything else of its call. */
  send: (frame: Frame) => void;
  /** Forgets what is left of a message of the call. */
  drop: (callId: number) => void;
  /** Calls `onSent` when everything that was sent before is handed to the stream. */
  end: (onSent: () => void) => void;
  /** Forgets everything: the stream is gone. */
  close: () => void;
};

/** The stream behind an outbox: takes one encoded message and tells when it is on its way. */
export type Write = (frames: Buffer, onWritten: () => void) => void;

/**
 * Creates the sending half of a session. Frames keep their order within a call; small ones go
 * first, and large messages share the room that is left, a fragment each in turn.
 */
export const createOutbox = (write: Write): Outbox => {
  const lanes = createLanes();
  let ready: readonly Frame[] = [];
  let unwritten = 0;
  let isClosed = false;
  let onSent: (() => void) | undefined;

  const takeReady = (frames: Frame[]): number => {
    let bytes = 0;
    let taken = 0;
    while (taken < ready.length && bytes < SMALL_BYTES_MAX) {
      const frame = ready[taken]!;
      taken += 1;
      // Nobody waits for the rest of a request that is called off.
      if (frame.kind.case === 'cancel') lanes.drop(frame.callId);
      if (!lanes.isEmpty() && lanes.hold(frame)) continue;
      lanes.cut(frame);
      bytes += bytesOf(frame);
      frames.push(frame);
    }
    ready = taken === ready.length ? [] : ready.slice(taken);
    return bytes;
  };
  const writeBatch = (): void => {
    const frames: Frame[] = [];
    let bytes = takeReady(frames);
    while (!lanes.isEmpty() && roomBehind(bytes) >= FRAGMENT_BYTES_MIN) {
      const { fragment, behind } = lanes.take(roomBehind(bytes));
      bytes += bytesOf(fragment);
      frames.push(fragment);
      if (behind.length > 0) ready = behind.concat(ready);
    }
    unwritten += bytes;
    write(encodeFrames(frames), () => {
      unwritten -= bytes;
      pump();
    });
  };
  const hasMore = (): boolean => ready.length > 0 || !lanes.isEmpty();
  const pump = (): void => {
    while (!isClosed && unwritten < UNWRITTEN_BYTES_MAX && hasMore()) writeBatch();
    if (!onSent || isClosed || hasMore()) return;
    isClosed = true;
    onSent();
  };

  return {
    send: createTickBatcher<Frame>((frames) => {
      if (isClosed) return;
      ready = ready.length === 0 ? frames : ready.concat(frames);
      pump();
    }),
    drop: lanes.drop,
    end: (then) => {
      // Behind the frames of this turn, which the batcher still holds.
      setImmediate(() => {
        onSent = then;
        pump();
      });
    },
    close: () => {
      isClosed = true;
      ready = [];
      lanes.clear();
    },
  };
};

const roomBehind = (bytes: number): number => BATCH_BYTES_MAX - bytes - FRAME_BYTES;

const bytesOf = (frame: Frame): number =>
  frame.kind.case === 'data'
    ? FRAME_BYTES + frame.kind.value.message.length
    : NAMES_BYTES + (dataOf(frame)?.message.length ?? 0);
