import { ProofError } from './errors.ts';

export const MAX_FRAME_BYTES = 8 * 1024 * 1024;

export type SseFrame = {
  /**
   * Values of the frame's `data` lines, joined by line feeds; undefined if it has no such line (a
   * comment).
   */
  data: string | undefined;
  event: string | undefined;
  /**
   * The exact bytes of the frame, including the blank line if it ends with one, so that the bytes
   * of all frames together are those of the stream. It may be a view of a pushed chunk.
   */
  bytes: Uint8Array;
  /**
   * True if clients read other lines: it has a CR without LF, of which two would end a frame, or a
   * line begins with a byte order mark, which some clients remove from each line.
   */
  isAmbiguous: boolean;
};

export type SseSplitter = {
  push(chunk: Uint8Array): SseFrame[];
  end(): SseFrame | undefined;
};

const LF = 10;
const CR = 13;
const SPACE = 32;
const MARK = [0xef, 0xbb, 0xbf] as const; // The byte order mark in UTF-8.
const DATA_FIELD = [100, 97, 116, 97, 58]; // The bytes of `data:` in ASCII.

type LineState = 'empty' | 'cr' | 'text';

/**
 * Creates a splitter of one stream into frames by the WHATWG rules: UTF-8, fields, comments, lines
 * that end in LF, CRLF or CR. A frame ends at a blank line that ends in LF or CRLF. A blank line of
 * bare CRs ends no frame, because a frame could not be forwarded before the next byte arrives; no
 * server writes one, and such a frame is ambiguous.
 *
 * The splitter searches bytes and decodes only the data of a usual frame, because every streamed
 * answer passes through it.
 */
export function createSseSplitter(options: { maxFrameBytes?: number } = {}): SseSplitter {
  const limit = options.maxFrameBytes ?? MAX_FRAME_BYTES;
  const pending = createFrameBuffer();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const decode = (bytes: Uint8Array) => decoder.decode(bytes);
  let line: LineState = 'empty';
  let isFirst = true;
  // True if no byte of the pending frame can make it ambiguous; searched once for all frames of a
  // chunk.
  let isPendingPlain = true;

  function toFrame(bytes: Uint8Array, isPlain: boolean): SseFrame {
    const isAmbiguous = !isPlain && (hasBareCr(bytes) || hasLateMark(bytes, isFirst));
    const fields = parseFrame(bytes, { decode, isFirst });
    isFirst = false;
    return { ...fields, bytes, isAmbiguous };
  }

  function checkFrameSize(bytes: number): void {
    if (bytes <= limit) return;
    throw new ProofError('frame_too_large', `a frame of the stream has more than ${limit} bytes`);
  }

  return {
    push(chunk) {
      const frames: SseFrame[] = [];
      const isPlain = chunk.indexOf(CR) === -1 && chunk.indexOf(MARK[0]) === -1;
      let frameStart = 0;
      let lineStart = 0;
      for (let lf = chunk.indexOf(LF); lf !== -1; lf = chunk.indexOf(LF, lineStart)) {
        const isBlank = nextLineState(line, chunk, { from: lineStart, to: lf }) !== 'text';
        line = 'empty';
        lineStart = lf + 1;
        if (!isBlank) continue;
        checkFrameSize(pending.length() + lineStart - frameStart);
        const bytes = pending.takeAllWith(chunk.subarray(frameStart, lineStart));
        frames.push(toFrame(bytes, isPlain && isPendingPlain));
        isPendingPlain = true;
        frameStart = lineStart;
      }
      line = nextLineState(line, chunk, { from: lineStart, to: chunk.length });
      checkFrameSize(pending.length() + chunk.length - frameStart);
      if (frameStart < chunk.length) pending.add(chunk.subarray(frameStart));
      isPendingPlain &&= isPlain;
      return frames;
    },
    end() {
      const rest = pending.takeAllWith(new Uint8Array());
      return rest.length === 0 ? undefined : toFrame(rest, false);
    },
  };
}

function nextLineState(
  line: LineState,
  bytes: Uint8Array,
  range: { from: number; to: number },
): LineState {
  const length = range.to - range.from;
  if (length === 0) return line;
  return line === 'empty' && length === 1 && bytes[range.from] === CR ? 'cr' : 'text';
}

/**
 * Creates a buffer for the bytes of an unfinished frame. Its capacity at least doubles when it is
 * full, so that the cost is linear in the length of the frame.
 */
function createFrameBuffer() {
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
    takeAllWith(bytes: Uint8Array): Uint8Array {
      if (length === 0) return bytes;
      const joined = new Uint8Array(length + bytes.length);
      joined.set(buffer.subarray(0, length));
      joined.set(bytes, length);
      length = 0;
      return joined;
    },
  };
}

function parseFrame(
  bytes: Uint8Array,
  { decode, isFirst }: { decode: (bytes: Uint8Array) => string; isFirst: boolean },
): Pick<SseFrame, 'data' | 'event'> {
  const singleData = findSingleData(bytes);
  if (singleData !== undefined) {
    const data = decode(singleData);
    if (!data.includes('\r')) return { data, event: undefined };
  }
  const text = decode(bytes);
  // A byte order mark is removed only at the start of the stream.
  return parseFields(isFirst && text.startsWith('\uFEFF') ? text.slice(1) : text);
}

function hasBareCr(bytes: Uint8Array): boolean {
  for (let cr = bytes.indexOf(CR); cr !== -1; cr = bytes.indexOf(CR, cr + 1)) {
    if (bytes[cr + 1] !== LF) return true;
  }
  return false;
}

/** Returns whether a line begins with a byte order mark; the first of the stream may. */
function hasLateMark(bytes: Uint8Array, isFirst: boolean): boolean {
  for (let at = bytes.indexOf(MARK[0]); at !== -1; at = bytes.indexOf(MARK[0], at + 1)) {
    const isMark = bytes[at + 1] === MARK[1] && bytes[at + 2] === MARK[2];
    if (isMark && (at === 0 ? !isFirst : bytes[at - 1] === LF)) return true;
  }
  return false;
}

/**
 * Returns the value of a frame that consists of a single `data` line, else undefined. This is a
 * fast path, because nearly all frames do.
 */
function findSingleData(bytes: Uint8Array): Uint8Array | undefined {
  const lf = bytes.indexOf(LF);
  // After the first line only the blank line (LF or CRLF) may follow; any other field would be
  // longer.
  if (lf === -1 || bytes.length - lf > 3) return undefined;
  for (let i = 0; i < DATA_FIELD.length; i += 1) {
    if (bytes[i] !== DATA_FIELD[i]) return undefined;
  }
  const start = bytes[DATA_FIELD.length] === SPACE ? DATA_FIELD.length + 1 : DATA_FIELD.length;
  return bytes.subarray(start, bytes[lf - 1] === CR ? lf - 1 : lf);
}

function parseFields(frame: string): { data: string | undefined; event: string | undefined } {
  let data: string | undefined;
  let event: string | undefined;
  for (const line of frame.split(frame.includes('\r') ? /\r\n|\n|\r/ : '\n')) {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const start = line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
    const value = colon === -1 ? '' : line.slice(start);
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (name === 'event') event = value;
  }
  return { data, event };
}
