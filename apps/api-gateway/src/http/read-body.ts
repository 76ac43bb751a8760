import { isUtf8 } from 'node:buffer';
import { raw } from 'express';
import type { Request, Response } from 'express';
import { invalidRequest, ServiceError } from '@witan/contracts';

/** Default size limit of a body, in bytes. */
export const BODY_BYTES_MAX = 1024 * 1024;
/** Levels of nesting that a body may have. */
export const JSON_DEPTH_MAX = 64;

/** A body as it came and as it was parsed; one that is an upload was not. */
export type ReadBody = (
  request: Request,
  response: Response,
) => Promise<{ source: Uint8Array; body: Record<string, unknown>; isUpload?: true }>;

/**
 * A reader of whole bodies of up to `bytesMax`, decompressed. An absent or empty body is `{}`, and
 * one of the media types of `uploads` is left as it is. The reader throws UNSUPPORTED_MEDIA_TYPE,
 * REQUEST_TOO_LARGE and INVALID_REQUEST.
 */
export const createBodyReader = (bytesMax: number, uploads: readonly string[] = []): ReadBody => {
  const readBytes = createByteReader(bytesMax);
  return async (request, response) => {
    const source = await readBytes(request, response);
    if (uploads.includes(mediaTypeOf(request))) return { source, body: {}, isUpload: true };
    if (source.length === 0) return { source: Buffer.from('{}'), body: {} };
    if (!isJsonType(request.headers['content-type'])) {
      const types = ['application/json', ...uploads].join(', ');
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${types}.`);
    }
    return { source, body: parseJsonObject(source) };
  };
};

const mediaTypeOf = ({ headers }: Request): string =>
  headers['content-type']?.split(';')[0]!.trim().toLowerCase() ?? '';

/** Clients that send no content type are believed; a form or a file is not JSON. */
const isJsonType = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(contentType);

const createByteReader = (limit: number) => {
  const read = raw({ type: () => true, limit });
  return (request: Request, response: Response): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      // Before anything is read, and while it is: the reader itself would take all of it first.
      const refuse = (): void => {
        leave(request, response);
        reject(tooLarge(limit));
      };
      if (Number(request.headers['content-length']) > limit) return refuse();
      let bytes = 0;
      const count = (chunk: Buffer): void => {
        bytes += chunk.length;
        if (bytes <= limit) return;
        // Once: what still comes is thrown away, and the answer may be on its way by then.
        request.off('data', count);
        refuse();
      };
      request.on('data', count);
      read(request, response, (error?: unknown) => {
        if (error) reject(toReadFailure(error, limit));
        else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
      });
    });
};

/** How long a client may go on sending after its answer, so that it gets to read it. */
const LEAVE_MS = 2_000;

/** Throws away what a refused client still sends, for a while, and ends the connection. */
const leave = (request: Request, response: Response): void => {
  response.setHeader('connection', 'close');
  request.resume();
  const timer = setTimeout(() => request.destroy(), LEAVE_MS);
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
  return invalidRequest('The body could not be read to its end.');
};

const parseJsonObject = (source: Buffer): Record<string, unknown> => {
  if (!isUtf8(source)) throw invalidRequest('The body is not valid UTF-8.');
  let value: unknown;
  try {
    value = JSON.parse(source.toString('utf8'));
  } catch {
    // The parser's message quotes the body.
    throw invalidRequest('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('The body must be a JSON object.');
  }
  checkSize(value);
  return value as Record<string, unknown>;
};

/** Values in a body, objects and lists included: each costs time wherever the body is read. */
const JSON_VALUES_MAX = 250_000;

/** Without recursion: a hostile body may be a million levels deep. */
const checkSize = (root: object): void => {
  let values = 0;
  let level: object[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > JSON_DEPTH_MAX) {
      throw invalidRequest(`The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
    }
    const next: object[] = [];
    for (const node of level) {
      const children = Object.values(node);
      values += children.length;
      for (const child of children) {
        if (typeof child === 'object' && child !== null) next.push(child as object);
      }
    }
    if (values > JSON_VALUES_MAX) {
      throw invalidRequest(`The body holds more than ${JSON_VALUES_MAX} values.`);
    }
    level = next;
  }
};
