import type { Frame } from '@witan/contracts';
import { createTickBatcher } from '../tick-batcher.ts';
import { encodeFrames } from './encode-frames.ts';
import { dataOf } from './frames.ts';
import { createFragmentQueue, FRAGMENT_BYTES_MAX } from './fragment-queue.ts';

export const BATCH_BYTES_MAX = 256 * 1024;
/** Every batch has space for a fragment of at least this size. */
const FRAGMENT_BYTES_MIN = 32 * 1024;
/** Small frames fill a batch up to this size; the last of them may exceed it. */
const SMALL_BYTES_MAX = BATCH_BYTES_MAX - FRAGMENT_BYTES_MAX - FRAGMENT_BYTES_MIN - 4 * 1024;
/**
 * Maximum number of bytes passed to the stream but not sent yet. Limits the delay of small frames.
 */
const UNWRITTEN_BYTES_MAX = 2 * BATCH_BYTES_MAX;
/** Upper limit for the tags, lengths and call id of a data frame. */
const FRAME_OVERHEAD_BYTES = 32;
/** Upper limit for other frames, which contain names or texts. */
const CONTROL_FRAME_BYTES = 1024;

export type FrameWriter = {
  /**
   * Sends a frame together with the other frames of the same tick. Frames of a call stay in order.
   */
  send: (frame: Frame) => void;
  drop: (callId: number) => void;
  /** Calls `onSent` once all earlier frames are passed to the stream. */
  end: (onSent: () => void) => void;
  close: () => void;
};

export type Write = (frames: Buffer, onWritten: () => void) => void;

/**
 * Creates a frame writer. Frames of a call stay in order; small frames go first, and large messages
 * share the rest of each batch in fragments, round robin.
 */
export const createFrameWriter = (write: Write): FrameWriter => {
  const fragmentQueue = createFragmentQueue();
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
      if (frame.kind.case === 'cancel') fragmentQueue.drop(frame.callId);
      if (!fragmentQueue.isEmpty() && fragmentQueue.deferBehind(frame)) continue;
      fragmentQueue.split(frame);
      bytes += bytesOf(frame);
      frames.push(frame);
    }
    ready = taken === ready.length ? [] : ready.slice(taken);
    return bytes;
  };
  const writeBatch = (): void => {
    const frames: Frame[] = [];
    let bytes = takeReady(frames);
    while (!fragmentQueue.isEmpty() && bytesLeftAfter(bytes) >= FRAGMENT_BYTES_MIN) {
      const { fragment, following } = fragmentQueue.next(bytesLeftAfter(bytes));
      bytes += bytesOf(fragment);
      frames.push(fragment);
      if (following.length > 0) ready = following.concat(ready);
    }
    unwritten += bytes;
    write(encodeFrames(frames), () => {
      unwritten -= bytes;
      writeBatches();
    });
  };
  const hasMore = (): boolean => ready.length > 0 || !fragmentQueue.isEmpty();
  const writeBatches = (): void => {
    while (!isClosed && unwritten < UNWRITTEN_BYTES_MAX && hasMore()) writeBatch();
    if (!onSent || isClosed || hasMore()) return;
    isClosed = true;
    onSent();
  };

  return {
    send: createTickBatcher<Frame>((frames) => {
      if (isClosed) return;
      ready = ready.length === 0 ? frames : ready.concat(frames);
      writeBatches();
    }),
    drop: fragmentQueue.drop,
    end: (then) => {
      // Deferred until after the frames of this tick, which are still in the batcher.
      setImmediate(() => {
        onSent = then;
        writeBatches();
      });
    },
    close: () => {
      isClosed = true;
      ready = [];
      fragmentQueue.clear();
    },
  };
};

const bytesLeftAfter = (bytes: number): number => BATCH_BYTES_MAX - bytes - FRAME_OVERHEAD_BYTES;

const bytesOf = (frame: Frame): number =>
  frame.kind.case === 'data'
    ? FRAME_OVERHEAD_BYTES + frame.kind.value.message.length
    : CONTROL_FRAME_BYTES + (dataOf(frame)?.message.length ?? 0);
