import type { Frame } from '@witan/contracts';
import { createTickBatcher } from '../schedule/tick-batcher.ts';
import { encodeFrames } from './encode-frames.ts';
import { dataOf } from './frames.ts';
import { createFragmentQueue, FRAGMENT_BYTES_MAX } from './fragment-queue.ts';

export const BATCH_BYTES_MAX = 256 * 1024;
/** Minimum space for a fragment; a batch with less space left gets no further fragment. */
const FRAGMENT_BYTES_MIN = 32 * 1024;
/** Small frames are added to a batch until it has this size; the last one may exceed it. */
const SMALL_BYTES_MAX = BATCH_BYTES_MAX - FRAGMENT_BYTES_MAX - FRAGMENT_BYTES_MIN - 4 * 1024;
/**
 * No further batch is written while this many bytes are passed to the stream but not yet written to
 * the network. Limits how long small frames wait.
 */
const UNWRITTEN_BYTES_MAX = 2 * BATCH_BYTES_MAX;
/** Upper limit for the size of a data frame's tags, lengths and call id. */
const FRAME_OVERHEAD_BYTES = 32;
/** Estimated size of a frame that is not a data frame, without the request in it. */
const CONTROL_FRAME_BYTES = 1024;

export type FrameWriter = {
  /**
   * Queues a frame and sends it in a batch with others, at the end of the event-loop tick at the
   * earliest. Frames of one call stay in order.
   */
  send: (frame: Frame) => void;
  drop: (callId: number) => void;
  /** Calls `onSent` once all frames sent before are passed to the stream. */
  end: (onSent: () => void) => void;
  close: () => void;
};

export type Write = (frames: Buffer, onWritten: () => void) => void;

/**
 * Creates a writer that sends frames in batches. Frames of one call stay in order; small frames go
 * first, and large messages share the rest of each batch as fragments, round robin.
 */
export const createFrameWriter = (write: Write): FrameWriter => {
  const fragmentQueue = createFragmentQueue();
  let readyFrames: readonly Frame[] = [];
  let unwrittenBytes = 0;
  let isClosed = false;
  let onSent: (() => void) | undefined;

  const moveReadyFrames = (frames: Frame[]): number => {
    let bytes = 0;
    let movedCount = 0;
    while (movedCount < readyFrames.length && bytes < SMALL_BYTES_MAX) {
      const frame = readyFrames[movedCount]!;
      movedCount += 1;
      if (frame.kind.case === 'cancel') fragmentQueue.drop(frame.callId);
      if (!fragmentQueue.isEmpty() && fragmentQueue.deferBehind(frame)) continue;
      fragmentQueue.split(frame);
      bytes += bytesOf(frame);
      frames.push(frame);
    }
    readyFrames = movedCount === readyFrames.length ? [] : readyFrames.slice(movedCount);
    return bytes;
  };
  const writeBatch = (): void => {
    const frames: Frame[] = [];
    let bytes = moveReadyFrames(frames);
    while (!fragmentQueue.isEmpty() && bytesLeftAfter(bytes) >= FRAGMENT_BYTES_MIN) {
      const { fragment, following } = fragmentQueue.next(bytesLeftAfter(bytes));
      bytes += bytesOf(fragment);
      frames.push(fragment);
      if (following.length > 0) readyFrames = following.concat(readyFrames);
    }
    unwrittenBytes += bytes;
    write(encodeFrames(frames), () => {
      unwrittenBytes -= bytes;
      writeBatches();
    });
  };
  const hasMore = (): boolean => readyFrames.length > 0 || !fragmentQueue.isEmpty();
  const writeBatches = (): void => {
    while (!isClosed && unwrittenBytes < UNWRITTEN_BYTES_MAX && hasMore()) writeBatch();
    if (!onSent || isClosed || hasMore()) return;
    isClosed = true;
    onSent();
  };

  return {
    send: createTickBatcher<Frame>((frames) => {
      if (isClosed) return;
      readyFrames = readyFrames.length === 0 ? frames : readyFrames.concat(frames);
      writeBatches();
    }),
    drop: fragmentQueue.drop,
    end: (callback) => {
      // Deferred, because the frames of this tick are still in the tick batcher and must be sent
      // before.
      setImmediate(() => {
        onSent = callback;
        writeBatches();
      });
    },
    close: () => {
      isClosed = true;
      readyFrames = [];
      fragmentQueue.clear();
    },
  };
};

const bytesLeftAfter = (bytes: number): number => BATCH_BYTES_MAX - bytes - FRAME_OVERHEAD_BYTES;

const bytesOf = (frame: Frame): number =>
  frame.kind.case === 'data'
    ? FRAME_OVERHEAD_BYTES + frame.kind.value.message.length
    : CONTROL_FRAME_BYTES + (dataOf(frame)?.message.length ?? 0);
