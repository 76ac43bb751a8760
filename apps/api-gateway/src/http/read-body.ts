import { isUtf8 } from 'node:buffer';
import { raw } from 'express';
import type { Request, Response } from 'express';
import { invalidRequest, ServiceError } from '@witan/contracts';
import { parseExactly } from '@witan/dialects';
import { yieldAfter } from '@witan/service-kit';
import { checkJson } from './check-json.ts';
import type { BodyKind } from './check-json.ts';
import type { RouteCall } from './route.ts';

export const BODY_BYTES_MAX = 1024 * 1024;

export type ReadBody = (
  request: Request,
  response: Response,
) => Promise<{ source: Uint8Array; body: Record<string, unknown>; isUpload?: true }>;

type BodyLimits = { bytesMax: number; kind: BodyKind; uploads?: readonly string[] };

/**
 * Returns a function that reads a request body of up to `bytesMax` decompressed bytes. An absent or
 * empty body is read as `{}`, unless its content type is one of `uploads`. It throws
 * UNSUPPORTED_MEDIA_TYPE, REQUEST_TOO_LARGE and INVALID_REQUEST.
 */
export const createBodyReader = ({ bytesMax, kind, uploads = [] }: BodyLimits): ReadBody => {
  const readBytes = createByteReader(bytesMax);
  return async (request, response) => {
    const source = await readBytes(request, response);
    if (uploads.includes(mediaTypeOf(request))) return { source, body: {}, isUpload: true };
    if (source.length === 0) return { source: Buffer.from('{}'), body: {} };
    if (!isJsonType(request.headers['content-type'])) {
      const types = ['application/json', ...uploads].join(', ');
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${types}.`);
    }
    await yieldAfter(source.length);
    const body = await parseJsonObject(source, kind);
    await yieldAfter(source.length);
    return { source, body };
  };
};

/** Frees the memory of a body that nothing reads any more; its call may go on for minutes. */
export const freeBody = (call: Pick<RouteCall, 'body' | 'source' | 'request'>): void => {
  Object.assign(call, { body: {}, source: new Uint8Array() });
  call.request.body = undefined;
};

const mediaTypeOf = ({ headers }: Request): string =>
  headers['content-type']?.split(';')[0]!.trim().toLowerCase() ?? '';

/**
 * Returns whether the content type is JSON. A missing content type counts as JSON; forms and files
 * do not.
 */
const isJsonType = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(contentType);

const createByteReader = (limit: number) => {
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
        if (error) reject(toReadFailure(error, limit));
        else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
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
  return invalidRequest('The body could not be read to its end.');
};

const parseJsonObject = async (
  source: Buffer,
  kind: BodyKind,
): Promise<Record<string, unknown>> => {
  if (!isUtf8(source)) throw invalidRequest('The body is not valid UTF-8.');
  const text = source.toString('utf8');
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

/**
 * Returns the JSON text of a member of the body, with its numbers as the client wrote them, or
 * undefined if the member is absent. It parses the source again, because the parsed body has lost
 * digits that a double cannot represent.
 */
export const readObjectText = (
  { body, source }: Pick<RouteCall, 'body' | 'source'>,
  name: string,
): string | undefined => {
  if (body[name] === undefined) return undefined;
  const exactObject = parseExactly(Buffer.from(source).toString()) as Record<string, unknown>;
  return JSON.stringify(exactObject[name]);
};
