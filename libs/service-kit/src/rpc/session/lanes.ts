import type { Frame } from '@witan/contracts';
import { createData, createDataFrame, dataOf } from './frames.ts';

/** A message above this travels in fragments, in turns with the others. */
export const FRAGMENT_BYTES_MAX = 128 * 1024;

/** What a call still has to send of a message in fragments, and behind it. */
type Lane = { callId: number; rest: Uint8Array; behind: Frame[] };

/** The calls with a message under way in fragments. */
export type Lanes = {
  isEmpty: () => boolean;
  /** Takes a frame that has to stay behind such a message; false when its call has none. */
  hold: (frame: Frame) => boolean;
  /** Leaves one fragment in a frame with a large message and keeps the rest of it. */
  cut: (frame: Frame) => void;
  /** A fragment of the call that waited longest, at most `room` bytes, and what stood behind it. */
  take: (room: number) => { fragment: Frame; behind: readonly Frame[] };
  drop: (callId: number) => void;
  clear: () => void;
};

const NOTHING: readonly Frame[] = [];

/** Creates the waiting line of large messages: each call in it sends one fragment in its turn. */
export const createLanes = (): Lanes => {
  const lanes = new Map<number, Lane>();
  return {
    isEmpty: () => lanes.size === 0,
    hold: (frame) => {
      const lane = lanes.get(frame.callId);
      lane?.behind.push(frame);
      return lane !== undefined;
    },
    cut: (frame) => {
      const data = dataOf(frame);
      if (!data || data.message.length <= FRAGMENT_BYTES_MAX) return;
      const rest = data.message.subarray(FRAGMENT_BYTES_MAX);
      lanes.set(frame.callId, { callId: frame.callId, rest, behind: [] });
      data.message = data.message.subarray(0, FRAGMENT_BYTES_MAX);
      data.more = true;
    },
    take: (room) => {
      const lane = lanes.values().next().value!;
      const { callId } = lane;
      const message = lane.rest.subarray(0, Math.min(room, FRAGMENT_BYTES_MAX));
      lane.rest = lane.rest.subarray(message.length);
      const more = lane.rest.length > 0;
      lanes.delete(callId);
      if (more) lanes.set(callId, lane);
      const fragment = createDataFrame(callId, createData(message, more));
      return { fragment, behind: more ? NOTHING : lane.behind };
    },
    drop: (callId) => void lanes.delete(callId),
    clear: () => lanes.clear(),
  };
};
