import type { Response } from 'express';

/** An answer that was written and has not been sent. */
export type BufferedResponse = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
};

export type ResponseBuffer = {
  /** What the handler answered; undefined when that is too large, not whole, or nothing. */
  readonly buffered: BufferedResponse | undefined;
  /** True when there was more than may be gathered: then it is on its way to the client. */
  readonly isTooLarge: boolean;
  /** Sends what was gathered, and leaves the response as it was. */
  send: () => void;
};

type Writing = Pick<Response, 'write' | 'end'>;

/**
 * Holds back what is written to the response, up to `bytesMax`, so that it can be kept before it is
 * sent. Above that it is sent as it comes. Handlers do not notice; the client's connection may be
 * gone.
 */
export const bufferResponse = (response: Response, bytesMax: number): ResponseBuffer => {
  const own: Writing = {
    write: response.write.bind(response),
    end: response.end.bind(response),
  };
  let chunks: Buffer[] = [];
  let bytes = 0;
  let buffered: BufferedResponse | undefined;
  let isTooLarge = false;

  const restore = (): void => void Object.assign(response, own);
  const overflow = (): boolean => {
    isTooLarge = true;
    restore();
    const room = own.write(Buffer.concat(chunks));
    chunks = [];
    return room;
  };
  const take = (chunk: unknown, encoding: unknown): boolean => {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') return true;
    const piece = toBuffer(chunk as string | Uint8Array, encoding);
    chunks.push(piece);
    bytes += piece.length;
    return bytes <= bytesMax || overflow();
  };
  response.write = ((chunk: unknown, encoding?: unknown) =>
    buffered ? true : take(chunk, encoding)) as Response['write'];
  response.end = ((chunk?: unknown, encoding?: unknown) => {
    // Only the first end counts, as without us.
    if (buffered) return response;
    take(chunk, encoding);
    if (isTooLarge) return own.end();
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
      if (buffered) sendGathered(response, buffered);
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

/** A failure behind the end of an answer has set a status and headers of its own. */
const sendGathered = (response: Response, { status, headers, body }: BufferedResponse): void => {
  for (const name of response.getHeaderNames()) {
    if (!(name in headers)) response.removeHeader(name);
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.end(body);
};
