import type { Frame } from '@witan/contracts';
import { createData, createDataFrame, dataOf } from './frames.ts';

export const FRAGMENT_BYTES_MAX = 128 * 1024;

type FragmentedMessage = { callId: number; rest: Uint8Array; following: Frame[] };

export type FragmentQueue = {
  isEmpty: () => boolean;
  /**
   * Queues a frame behind the unsent fragments of a message of the same call. Returns false if the
   * call has no unsent fragments.
   */
  deferBehind: (frame: Frame) => boolean;
  /**
   * Truncates a frame with a large message to the first fragment and queues the rest of the
   * message.
   */
  split: (frame: Frame) => void;
  /**
   * Returns the next fragment. With the last fragment of a message, `following` contains the frames
   * that were queued behind it.
   */
  next: (bytesMax: number) => { fragment: Frame; following: readonly Frame[] };
  drop: (callId: number) => void;
  clear: () => void;
};

const NO_FRAMES: readonly Frame[] = [];

export const createFragmentQueue = (): FragmentQueue => {
  const queued = new Map<number, FragmentedMessage>();
  return {
    isEmpty: () => queued.size === 0,
    deferBehind: (frame) => {
      const entry = queued.get(frame.callId);
      entry?.following.push(frame);
      return entry !== undefined;
    },
    split: (frame) => {
      const data = dataOf(frame);
      if (!data || data.message.length <= FRAGMENT_BYTES_MAX) return;
      const rest = data.message.subarray(FRAGMENT_BYTES_MAX);
      queued.set(frame.callId, { callId: frame.callId, rest, following: [] });
      data.message = data.message.subarray(0, FRAGMENT_BYTES_MAX);
      data.more = true;
    },
    next: (bytesMax) => {
      const entry = queued.values().next().value!;
      const { callId } = entry;
      const part = entry.rest.subarray(0, Math.min(bytesMax, FRAGMENT_BYTES_MAX));
      entry.rest = entry.rest.subarray(part.length);
      const more = entry.rest.length > 0;
      queued.delete(callId);
      if (more) queued.set(callId, entry);
      const fragment = createDataFrame(callId, createData(part, more));
      return { fragment, following: more ? NO_FRAMES : entry.following };
    },
    drop: (callId) => void queued.delete(callId),
    clear: () => queued.clear(),
  };
};
