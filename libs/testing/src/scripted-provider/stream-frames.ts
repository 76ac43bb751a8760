import type { OutgoingHttpHeaders } from 'node:http';
import type { Gate } from './gate.ts';
import { isBytes, resolvesBefore, type Script, writeByteByByte, writeBytes } from './script.ts';

export type Frame = object | string | Uint8Array;

export type StreamOptions = {
  readonly headers?: OutgoingHttpHeaders;
  readonly lineEnd?: '\n' | '\r\n';
  readonly byteByByte?: boolean;
  readonly gate?: Gate;
  /** Delays the whole response, including its status code, until this promise resolves. */
  readonly after?: Promise<unknown>;
  readonly cutAfter?: number;
  readonly sendDone?: boolean;
};

/**
 * Returns a script that streams `frames` as server-sent events. The headers are flushed at once,
 * every frame is flushed before the next one is requested, and nothing is written after the client
 * disconnects.
 */
export function streamFrames(frames: readonly Frame[], options: StreamOptions = {}): Script {
  const { headers = {}, lineEnd = '\n', after, gate, cutAfter, sendDone = true } = options;
  const write = options.byteByByte === true ? writeByteByByte : writeBytes;
  const all = [...frames, ...(sendDone ? [`data: [DONE]${lineEnd}${lineEnd}`] : [])];
  return async (exchange) => {
    const { response, closeSignal, cut } = exchange;
    if (after !== undefined && !(await resolvesBefore(after, closeSignal))) return;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...headers });
    response.flushHeaders();
    for (const frame of all.slice(0, cutAfter)) {
      if (gate !== undefined && !(await resolvesBefore(gate.pass(), closeSignal))) return;
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
