import { readChunk } from '@witan/dialects';
import { createChatAnswer, createSseSplitter } from '@witan/proof';
import type { ChatAnswer, SseFrame } from '@witan/proof';

/** Turns a provider's stream into the client's, and gathers what the certificate commits to. */
export type StreamRelay = {
  /** Takes bytes as they came; answers the bytes that the client may have now. */
  push: (bytes: Uint8Array) => Uint8Array;
  /** How the stream ended by its own words; undefined while it has not. */
  readonly ended: 'done' | 'error' | undefined;
  /** The bytes that end the answer; for the client only once the certificate is durable. */
  readonly lastBytes: Uint8Array;
  readonly answer: ChatAnswer;
};

type State = {
  answer: ChatAnswer;
  wantsUsage: boolean;
  /** Frames kept back until there is content, so that an early failure still has its status. */
  held: Uint8Array[];
  heldBytes: number;
  opened: boolean;
  ended: 'done' | 'error' | undefined;
  lastBytes: Uint8Array;
};

/** Frames kept back before the answer is opened without content, in bytes. */
const HELD_BYTES_MAX = 256 * 1024;

const NOTHING = new Uint8Array();

/** Frames pass byte for byte, except a usage chunk that the client did not ask for. */
export const createStreamRelay = (options: { wantsUsage: boolean }): StreamRelay => {
  const splitter = createSseSplitter();
  const state: State = {
    answer: createChatAnswer(),
    wantsUsage: options.wantsUsage,
    held: [],
    heldBytes: 0,
    opened: false,
    ended: undefined,
    lastBytes: NOTHING,
  };
  return {
    answer: state.answer,
    get ended() {
      return state.ended;
    },
    get lastBytes() {
      return state.lastBytes;
    },
    push: (bytes) => {
      const passed: Uint8Array[] = [];
      for (const frame of splitter.push(bytes)) takeFrame(state, frame, passed);
      return passed.length === 1 ? passed[0]! : Buffer.concat(passed);
    },
  };
};

const takeFrame = (state: State, frame: SseFrame, passed: Uint8Array[]): void => {
  if (state.ended) return;
  const { kind, chunk } = readChunk(frame.data);
  if (chunk) state.answer.chunk(chunk);
  if (kind === 'done' || kind === 'error') {
    passed.push(...state.held);
    state.held = [];
    state.ended = kind;
    state.lastBytes = copyOf(frame.bytes);
  } else if (kind === 'usage' && !state.wantsUsage) {
    // Asked for by us, for the certificate.
  } else if (kind === 'lifecycle' && !state.opened && state.heldBytes < HELD_BYTES_MAX) {
    state.held.push(copyOf(frame.bytes));
    state.heldBytes += frame.bytes.length;
  } else {
    state.opened = true;
    passed.push(...state.held, frame.bytes);
    state.held = [];
  }
};

/** The splitter's view may be of a buffer that is used again; a Buffer's `slice` is no copy. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
