import type { Request, Response } from 'express';

/** Defaults for every response; a route may override them. */
const HEADERS = {
  // Browsers must not guess the type.
  'x-content-type-options': 'nosniff',
  // Only the reference is a page, and it sets its own policy.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  // Shared caches do not treat `x-api-key` like `Authorization`; they must not store responses.
  'cache-control': 'no-store',
} as const;

/** A year, in seconds. */
const TLS_ONLY = 'max-age=31536000';

/** Sets the headers before the route runs, so that a route can override them. */
export const setSecurityHeaders = (request: Request, response: Response): void => {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  // Browsers ignore the header over plain HTTP, so a wrong `x-forwarded-proto` does no harm.
  if (request.get('x-forwarded-proto') === 'https') {
    response.setHeader('strict-transport-security', TLS_ONLY);
  }
};
