import type { Request, Response } from 'express';

/** What every answer tells browsers and caches, unless a route says something else. */
const HEADERS = {
  // An answer is what its type says, whatever its bytes look like.
  'x-content-type-options': 'nosniff',
  // Nothing of ours is a page, but where a route has a policy of its own.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  // To a cache on the way a key in `x-api-key` is no reason to keep an answer to itself.
  'cache-control': 'no-store',
} as const;

/** A year, in seconds. */
const TLS_ONLY = 'max-age=31536000';

/** Sets the headers of safety, first of all: what a route sets later stands. */
export const setSecurityHeaders = (request: Request, response: Response): void => {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  // Over plain HTTP browsers ignore it, so a proxy that says https falsely does no harm.
  if (request.get('x-forwarded-proto') === 'https') {
    response.setHeader('strict-transport-security', TLS_ONLY);
  }
};
