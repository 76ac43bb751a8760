import { isUtf8 } from 'node:buffer';
import { raw } from 'express';
import type { Request, Response } from 'express';
import { invalidRequest, ServiceError } from '@witan/contracts';
import { yieldAfter } from '@witan/service-kit';
import { checkJson } from './check-json.ts';
import type { BodyKind } from './check-json.ts';
import type { RouteCall } from './route.ts';

export const BODY_BYTES_MAX = 1024 * 1024;

/** A body as bytes, as text and as an object; the last two are empty for an upload. */
type RequestBody = Pick<RouteCall, 'source' | 'text' | 'body'> & { isUpload?: true };

export type ReadBody = (request: Request, response: Response) => Promise<RequestBody>;

type BodyLimits = { bytesMax: number; kind: BodyKind; uploads?: readonly string[] };

/**
 * Returns a function that reads a request body of up to `bytesMax` decompressed bytes. An absent or
 * empty body is read as `{}`, unless its content type is one of `uploads`. It throws
 * UNSUPPORTED_MEDIA_TYPE, REQUEST_TOO_LARGE and INVALID_REQUEST.
 */
export const createBodyReader = ({ bytesMax, kind, uploads = [] }: BodyLimits): ReadBody => {
  const readDecompressed = createDecompressingReader(bytesMax);
  return async (request, response) => {
    const { headers } = request;
    const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
    const read = isPlain
      ? collectBytes(request, response, bytesMax)
      : readDecompressed(request, response);
    const source = await read;
    if (uploads.length > 0 && uploads.includes(mediaTypeOf(request))) {
      return { source, text: '', body: {}, isUpload: true };
    }
    if (source.length === 0) return { source: Buffer.from('{}'), text: '{}', body: {} };
    if (!isJsonType(headers['content-type'])) {
      const types = ['application/json', ...uploads].join(', ');
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${types}.`);
    }
    if (!isUtf8(source)) throw invalidRequest('The body is not valid UTF-8.');
    const text = source.toString('utf8');
    await yieldAfter(source.length);
    const body = await parseJsonObject(text, kind);
    await yieldAfter(source.length);
    return { source, text, body };
  };
};

/** Frees the memory of a body that nothing reads any more; its call may go on for minutes. */
export const freeBody = (call: Pick<RouteCall, 'body' | 'source' | 'text'>): void => {
  Object.assign(call, { body: {}, source: new Uint8Array(), text: '' });
};

const mediaTypeOf = ({ headers }: Request): string =>
  headers['content-type']?.split(';')[0]!.trim().toLowerCase() ?? '';

/**
 * Returns whether the content type is JSON. A missing content type counts as JSON; forms and files
 * do not.
 */
const isJsonType = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(contentType);

/** Collects the bytes of a body that is not compressed. */
const collectBytes = (request: Request, response: Response, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length']) > limit) {
      discardRestOfBody(request, response);
      return reject(tooLarge(limit));
    }
    if (request.readableEnded) return resolve(Buffer.alloc(0));
    if (request.destroyed) return reject(notRead());
    const chunks: Buffer[] = [];
    let bytes = 0;
    // The request outlives its body, so it must not keep the listeners, which refer to the body.
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= limit) return void chunks.push(chunk);
      stop();
      discardRestOfBody(request, response);
      reject(tooLarge(limit));
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes));
    };
    const onBroken = (): void => {
      stop();
      reject(notRead());
    };
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });

const createDecompressingReader = (limit: number) => {
  const read = raw({ type: () => true, limit });
  return (request: Request, response: Response): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      // Too large a body is refused here, before and while it is read, because the body parser
      // would read it to its end first.
      const rejectBody = (): void => {
        discardRestOfBody(request, response);
        reject(tooLarge(limit));
      };
      if (Number(request.headers['content-length']) > limit) return rejectBody();
      let bytes = 0;
      const count = (chunk: Buffer): void => {
        bytes += chunk.length;
        if (bytes <= limit) return;
        // Stops listening, because the rest of the body is discarded and the response may have been
        // sent already.
        request.off('data', count);
        rejectBody();
      };
      request.on('data', count);
      read(request, response, (error?: unknown) => {
        const body: unknown = request.body;
        request.body = undefined;
        if (error) reject(toReadFailure(error, limit));
        else resolve(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
      });
    });
};

/**
 * Milliseconds for which a client whose body was refused may continue to send. Closing the
 * connection at once could prevent it from reading the response.
 */
const DISCARD_MS = 2_000;

const discardRestOfBody = (request: Request, response: Response): void => {
  response.setHeader('connection', 'close');
  request.resume();
  const timer = setTimeout(() => request.destroy(), DISCARD_MS);
  request.once('close', () => clearTimeout(timer));
};

const tooLarge = (limit: number): ServiceError =>
  new ServiceError('REQUEST_TOO_LARGE', `The body is larger than ${limit} bytes.`);

const toReadFailure = (error: unknown, limit: number): ServiceError => {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : '';
  if (type === 'entity.too.large') {
    return tooLarge(limit);
  }
  if (type === 'encoding.unsupported') {
    const message = 'Send the body plain, or with gzip, deflate or br.';
    return new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  return notRead();
};

const notRead = (): ServiceError => invalidRequest('The body could not be read to its end.');

const parseJsonObject = async (text: string, kind: BodyKind): Promise<Record<string, unknown>> => {
  checkJson(text, kind);
  await yieldAfter(text.length);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The body is not valid JSON${describePlace(error, text)}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
};

/**
 * Returns where a body stops being JSON, as ` (line 3, column 7)`. The parser names no position if
 * the text ends too early. Its message is not sent, because it quotes parts of the body.
 */
const describePlace = (error: unknown, text: string): string => {
  const position = / at position (\d+)/.exec((error as Error).message)?.[1];
  if (position === undefined) return ' (it ends too early)';
  const lines = text.slice(0, Number(position)).split('\n');
  return ` (line ${lines.length}, column ${lines.at(-1)!.length + 1})`;
};
