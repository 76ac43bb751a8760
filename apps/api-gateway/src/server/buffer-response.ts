import type { Response } from 'express';

export type BufferedResponse = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
};

export type ResponseBuffer = {
  /**
   * The complete response; undefined until the handler has ended it, or if it is too large to
   * buffer.
   */
  readonly buffered: BufferedResponse | undefined;
  readonly isTooLarge: boolean;
  send: () => void;
};

type WriteMethods = Pick<Response, 'write' | 'end'>;

/**
 * Buffers the response that a handler writes, so that it can be stored before `send` sends it. A
 * response larger than `bytesMax` is not buffered but sent while it is written. Handlers write as
 * usual, even after the client has disconnected.
 */
export const bufferResponse = (response: Response, bytesMax: number): ResponseBuffer => {
  const original: WriteMethods = {
    write: response.write.bind(response),
    end: response.end.bind(response),
  };
  let chunks: Buffer[] = [];
  let bytes = 0;
  let buffered: BufferedResponse | undefined;
  let isTooLarge = false;

  const restore = (): void => void Object.assign(response, original);
  const overflow = (): boolean => {
    isTooLarge = true;
    restore();
    const hasCapacity = original.write(Buffer.concat(chunks));
    chunks = [];
    return hasCapacity;
  };
  const append = (chunk: unknown, encoding: unknown): boolean => {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') return true;
    const piece = toBuffer(chunk as string | Uint8Array, encoding);
    chunks.push(piece);
    bytes += piece.length;
    return bytes <= bytesMax || overflow();
  };
  response.write = ((chunk: unknown, encoding?: unknown) =>
    buffered ? true : append(chunk, encoding)) as Response['write'];
  response.end = ((chunk?: unknown, encoding?: unknown) => {
    // A second `end` is ignored, as Node ignores it.
    if (buffered) return response;
    append(chunk, encoding);
    if (isTooLarge) return original.end();
    const { statusCode: status } = response;
    buffered = { status, headers: readHeaders(response), body: Buffer.concat(chunks) };
    chunks = [];
    return response;
  }) as Response['end'];

  return {
    get buffered() {
      return buffered;
    },
    get isTooLarge() {
      return isTooLarge;
    },
    send: () => {
      if (isTooLarge) return;
      restore();
      if (buffered) sendBuffered(response, buffered);
    },
  };
};

const toBuffer = (chunk: string | Uint8Array, encoding: unknown): Buffer =>
  typeof chunk === 'string'
    ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
    : Buffer.from(chunk);

const readHeaders = (response: Response): Record<string, string> =>
  Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
  );

/**
 * Sends the buffered response. Its status and headers are set again, because an error after the
 * handler ended the response may have changed them.
 */
const sendBuffered = (response: Response, { status, headers, body }: BufferedResponse): void => {
  for (const name of response.getHeaderNames()) {
    if (!(name in headers)) response.removeHeader(name);
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.end(body);
};
