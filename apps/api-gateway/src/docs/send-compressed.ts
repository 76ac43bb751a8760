import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { RouteCall } from '../http/route.ts';

type Prepared = { content: Buffer; compressed: Buffer; etag: string };

const compress = promisify(gzip);

/**
 * Returns a handler that sends a text which does not change while the process runs: compressed if
 * the client accepts it, and as 304 if the client has it. The text is created and compressed at the
 * first request.
 */
export const sendCompressed = (
  create: () => string | Promise<string>,
  headers: Readonly<Record<string, string>>,
): ((call: Pick<RouteCall, 'request' | 'response'>) => Promise<undefined>) => {
  let preparing: Promise<Prepared> | undefined;
  const prepare = async (): Promise<Prepared> => {
    const content = Buffer.from(await create());
    const compressed = await compress(content, { level: constants.Z_BEST_COMPRESSION });
    return { content, compressed, etag: `"${hash('sha256', content, 'base64url')}"` };
  };
  return async ({ request, response }) => {
    const { content, compressed, etag } = await (preparing ??= prepare());
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('cache-control', 'no-cache');
    response.setHeader('vary', 'accept-encoding');
    response.setHeader('etag', etag);
    if (request.get('if-none-match') === etag) {
      response.status(304).end();
      return undefined;
    }
    const isCompressed = request.acceptsEncodings('gzip') === 'gzip';
    if (isCompressed) response.setHeader('content-encoding', 'gzip');
    const body = isCompressed ? compressed : content;
    response.setHeader('content-length', body.length);
    response.status(200).end(request.method === 'HEAD' ? undefined : body);
    return undefined;
  };
};
