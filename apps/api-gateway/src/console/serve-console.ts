import { notFound, ServiceError } from '@witan/contracts';
import type { Request, RequestHandler, Response } from 'express';
import type { CurrentSite, SiteFile } from './read-site.ts';

export const CONSOLE_PATH = '/console';

/** Browsers keep a file for a year: its name has the hash of its content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Browsers ask for the page each time, and get 304 if it is the same. */
const REVALIDATE = 'no-cache';

const NOT_BUILT =
  'The console is not built: run `npm run console:build` in the clone, or use a bundle.';

/**
 * Returns a handler for the paths below `/console`: the files of the built console, and its page
 * for every other path, because the page has routes of its own. It needs
 * no key: the files contain no data.
 */
export const serveConsole =
  (currentSite: CurrentSite): RequestHandler =>
  async (request, response) => {
    response.locals.route = 'getConsole';
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw refuseMethod(request, response);
    const path = decodeURIComponent(request.path).slice(1);
    // `express` removes the mount path, so both `/console` and `/console/` arrive as `/`.
    if (request.originalUrl.split('?', 1)[0] === CONSOLE_PATH) {
      return response.redirect(308, `${CONSOLE_PATH}/`);
    }
    const site = await currentSite();
    if (site === undefined) throw notFound(NOT_BUILT);
    const file = site.files.get(path);
    if (file !== undefined) return sendFile(request, response, file, IMMUTABLE);
    if (isAsset(path)) throw notFound(`There is no file ${CONSOLE_PATH}/${path}.`);
    response.setHeader('content-security-policy', site.policy);
    sendFile(request, response, site.page, REVALIDATE);
  };

const isAsset = (path: string): boolean =>
  /^assets\/|\.(css|html|ico|js|json|map|png|svg|txt|webmanifest|woff2)$/.test(path);

const refuseMethod = (request: Request, response: Response): ServiceError => {
  response.setHeader('allow', 'GET, HEAD');
  return new ServiceError('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; use GET.`);
};

const sendFile = (
  request: Request,
  response: Response,
  file: SiteFile,
  cacheControl: string,
): void => {
  response.setHeader('cache-control', cacheControl);
  // Where browsers send neither `Sec-Fetch-Site` nor `Origin`, the API checks the referrer of a
  // call with the session cookie.
  response.setHeader('referrer-policy', 'same-origin');
  response.setHeader('vary', 'accept-encoding');
  response.setHeader('etag', file.etag);
  if (request.get('if-none-match') === file.etag) return void response.status(304).end();
  response.setHeader('content-type', file.contentType);
  const acceptsBrotli = request.acceptsEncodings('br') === 'br';
  const compressed = acceptsBrotli ? file.compressed : undefined;
  if (compressed) response.setHeader('content-encoding', 'br');
  const body = compressed ?? file.content;
  response.setHeader('content-length', body.length);
  response.end(request.method === 'HEAD' ? undefined : body);
};
