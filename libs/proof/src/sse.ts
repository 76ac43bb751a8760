import { ProofError } from './errors.ts';

/** How many bytes one frame may have by default: 8 MiB. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;

/** One frame of a server-sent event stream. */
export type SseFrame = {
  /** The `data` lines joined by line feeds; undefined when the frame has none (a comment). */
  data: string | undefined;
  /** The `event` field; undefined when the frame has none. */
  event: string | undefined;
  /**
   * The exact bytes, with the blank line that ends the frame: all frames in order and the rest are
   * the stream, byte for byte. It may be a view of a pushed chunk.
   */
  bytes: Uint8Array;
};

/** Cuts a byte stream into frames, however it is split. */
export type SseSplitter = {
  /** Takes the next bytes and returns the frames that they complete. Throws `frame_too_large`. */
  push(chunk: Uint8Array): SseFrame[];
  /** What stands behind the last blank line, as a frame; undefined when nothing does. */
  end(): SseFrame | undefined;
};

const LF = 10;
const CR = 13;
const SPACE = 32;
const DATA_FIELD = [100, 97, 116, 97, 58]; // data:

/** What the line that is being read holds so far: nothing, one CR, or more. */
type LineState = 'empty' | 'cr' | 'text';

/**
 * A splitter of one stream by the WHATWG rules: UTF-8, fields, comments, lines that end in LF, CRLF
 * or CR. A frame ends at a blank line of LF or CRLF; two bare CRs do not end one (no server writes
 * them, and a frame could not be forwarded before the byte behind it has come).
 *
 * It searches bytes and decodes only what is data, since it stands in the path of every streamed
 * answer.
 */
export function createSseSplitter(options: { maxFrameBytes?: number } = {}): SseSplitter {
  const limit = options.maxFrameBytes ?? MAX_FRAME_BYTES;
  const pending = createPending();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const decode = (bytes: Uint8Array) => decoder.decode(bytes);
  let line: LineState = 'empty';
  let isFirst = true;

  function toFrame(bytes: Uint8Array): SseFrame {
    const frame = parseFrame(bytes, { decode, isFirst });
    isFirst = false;
    return frame;
  }

  function refuseTooLarge(bytes: number): void {
    if (bytes <= limit) return;
    throw new ProofError('frame_too_large', `a frame of the stream has more than ${limit} bytes`);
  }

  return {
    push(chunk) {
      const frames: SseFrame[] = [];
      let frameStart = 0;
      let lineStart = 0;
      for (let lf = chunk.indexOf(LF); lf !== -1; lf = chunk.indexOf(LF, lineStart)) {
        const isBlank = grow(line, chunk, { from: lineStart, to: lf }) !== 'text';
        line = 'empty';
        lineStart = lf + 1;
        if (!isBlank) continue;
        refuseTooLarge(pending.length() + lineStart - frameStart);
        frames.push(toFrame(pending.takeWith(chunk.subarray(frameStart, lineStart))));
        frameStart = lineStart;
      }
      line = grow(line, chunk, { from: lineStart, to: chunk.length });
      refuseTooLarge(pending.length() + chunk.length - frameStart);
      pending.add(chunk.subarray(frameStart));
      return frames;
    },
    end() {
      const rest = pending.takeWith(new Uint8Array());
      return rest.length === 0 ? undefined : toFrame(rest);
    },
  };
}

/** The state of a line after these bytes, none of which is a line feed. */
function grow(line: LineState, bytes: Uint8Array, range: { from: number; to: number }): LineState {
  const length = range.to - range.from;
  if (length === 0) return line;
  return line === 'empty' && length === 1 && bytes[range.from] === CR ? 'cr' : 'text';
}

/** The bytes of an unfinished frame, in a buffer that doubles: a frame costs what it is long. */
function createPending() {
  let buffer = new Uint8Array();
  let length = 0;
  return {
    length: () => length,
    add(bytes: Uint8Array): void {
      if (length + bytes.length > buffer.length) {
        const larger = new Uint8Array(Math.max(1024, 2 * (length + bytes.length)));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(bytes, length);
      length += bytes.length;
    },
    /** What is pending and then `bytes`; nothing is pending any more. */
    takeWith(bytes: Uint8Array): Uint8Array {
      if (length === 0) return bytes;
      const whole = new Uint8Array(length + bytes.length);
      whole.set(buffer.subarray(0, length));
      whole.set(bytes, length);
      length = 0;
      return whole;
    },
  };
}

function parseFrame(
  bytes: Uint8Array,
  { decode, isFirst }: { decode: (bytes: Uint8Array) => string; isFirst: boolean },
): SseFrame {
  const single = findSingleData(bytes);
  if (single !== undefined) {
    const data = decode(single);
    if (!data.includes('\r')) return { data, event: undefined, bytes };
  }
  const text = decode(bytes);
  // Only the first bytes of a stream may be a byte order mark.
  return { ...parseFields(isFirst && text.startsWith('\uFEFF') ? text.slice(1) : text), bytes };
}

/** The value of a frame that is one `data` line, as nearly all are. */
function findSingleData(bytes: Uint8Array): Uint8Array | undefined {
  const lf = bytes.indexOf(LF);
  // Behind the line stands the blank one, LF or CRLF, and no field is that short.
  if (lf === -1 || bytes.length - lf > 3) return undefined;
  for (let i = 0; i < DATA_FIELD.length; i += 1) {
    if (bytes[i] !== DATA_FIELD[i]) return undefined;
  }
  const start = bytes[DATA_FIELD.length] === SPACE ? DATA_FIELD.length + 1 : DATA_FIELD.length;
  return bytes.subarray(start, bytes[lf - 1] === CR ? lf - 1 : lf);
}

function parseFields(frame: string): { data: string | undefined; event: string | undefined } {
  const data: string[] = [];
  let event: string | undefined;
  for (const line of frame.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
  }
  return { data: data.length === 0 ? undefined : data.join('\n'), event };
}
