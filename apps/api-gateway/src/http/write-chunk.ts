import type { Writable } from 'node:stream';
import type { Response } from 'express';

const LINE_END = '\r\n';
/** The longest size line of a chunk below 4 GiB, and both line ends. */
const FRAMING_BYTES_MAX = 12;

/**
 * Writes a piece of a streamed body. Answers a promise to wait for when the client reads slower
 * than we write.
 *
 * Node writes a chunk of HTTP/1.1 as three buffers that it corks until the next tick. A piece that
 * comes alone, as the tokens of a model do, costs two fifths less as one buffer to the socket
 * (docs/performance.md); order is kept because the head and what Node still holds of it are in that
 * socket already.
 */
export const writeChunk = (
  response: Response,
  piece: Uint8Array | string,
  signal: AbortSignal,
): Promise<void> | undefined => {
  if (piece.length === 0) return undefined;
  const { socket } = response;
  // Without a socket the client has sent this call ahead of an answer that is still being written.
  const isFramedHere = response.headersSent && response.chunkedEncoding && socket;
  if (!isFramedHere) return response.write(piece) ? undefined : drained(response, signal);
  return socket.write(toChunk(piece)) ? undefined : drained(socket, signal);
};

/** A client that leaves aborts the signal; what its socket says of that is nobody's error. */
const drained = (stream: Writable, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const onDrain = (): void => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const onAbort = (): void => {
      stream.off('drain', onDrain);
      reject(signal.reason as Error);
    };
    if (signal.aborted) return onAbort();
    stream.once('drain', onDrain);
    return signal.addEventListener('abort', onAbort, { once: true });
  });

const toChunk = (piece: Uint8Array | string): Uint8Array | string => {
  if (typeof piece === 'string') {
    return Buffer.byteLength(piece).toString(16) + LINE_END + piece + LINE_END;
  }
  const chunk = Buffer.allocUnsafe(piece.length + FRAMING_BYTES_MAX);
  const sized = chunk.write(piece.length.toString(16) + LINE_END, 'latin1');
  chunk.set(piece, sized);
  const framed = sized + piece.length;
  return chunk.subarray(0, framed + chunk.write(LINE_END, framed, 'latin1'));
};
