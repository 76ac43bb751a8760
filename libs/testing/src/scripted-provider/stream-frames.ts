import type { OutgoingHttpHeaders } from 'node:http';
import type { Gate } from './gate.ts';
import { isBytes, outlasts, type Script, writeByteByByte, writeBytes } from './script.ts';

/** An object is sent as one `data:` event; a string or bytes exactly as they are. */
export type Frame = object | string | Uint8Array;

/** How a stream is delivered. */
export type StreamOptions = {
  readonly headers?: OutgoingHttpHeaders;
  /** The line end of the `data:` events: LF unless CRLF is asked for. */
  readonly lineEnd?: '\n' | '\r\n';
  /** Sends every frame one byte at a time. */
  readonly byteByByte?: boolean;
  /** Asked before every frame, `[DONE]` included. */
  readonly gate?: Gate;
  /** Nothing is sent, not even a status, before this resolves: a slow first byte. */
  readonly after?: Promise<unknown>;
  /** Destroys the connection after this many frames. */
  readonly cutAfter?: number;
  /** False ends the stream without `[DONE]`. */
  readonly done?: boolean;
};

/**
 * Streams `frames` as server-sent events. Status and headers leave at once, each frame is on its
 * way before the next one is asked for, and nothing is written once the client has gone.
 */
export function streamFrames(frames: readonly Frame[], options: StreamOptions = {}): Script {
  const { headers = {}, lineEnd = '\n', after, gate, cutAfter, done = true } = options;
  const write = options.byteByByte === true ? writeByteByByte : writeBytes;
  const all = [...frames, ...(done ? [`data: [DONE]${lineEnd}${lineEnd}`] : [])];
  return async (exchange) => {
    const { response, gone, cut } = exchange;
    if (after !== undefined && !(await outlasts(after, gone))) return;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...headers });
    response.flushHeaders();
    for (const frame of all.slice(0, cutAfter)) {
      if (gate !== undefined && !(await outlasts(gate.pass(), gone))) return;
      if (!(await write(exchange, encodeFrame(frame, lineEnd)))) return;
    }
    if (cutAfter === undefined) response.end();
    else cut();
  };
}

function encodeFrame(frame: Frame, lineEnd: string): string | Uint8Array {
  if (typeof frame === 'string' || isBytes(frame)) return frame;
  return `data: ${JSON.stringify(frame)}${lineEnd}${lineEnd}`;
}
