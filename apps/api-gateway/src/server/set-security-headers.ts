import type { Request, Response } from 'express';

const HEADERS = {
  'x-content-type-options': 'nosniff',
  // Responses other than the API reference are no pages and need no sources; the reference sets its
  // own policy.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  // Shared caches may store a response to a request that authenticates with `x-api-key`, unlike one
  // with `Authorization`, so storing is forbidden.
  'cache-control': 'no-store',
} as const;

const HSTS_VALUE = 'max-age=31536000';

export const setSecurityHeaders = (request: Request, response: Response): void => {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  // `x-forwarded-proto` may be forged, which does no harm: browsers ignore this response header
  // over plain HTTP.
  if (request.get('x-forwarded-proto') === 'https') {
    response.setHeader('strict-transport-security', HSTS_VALUE);
  }
};
