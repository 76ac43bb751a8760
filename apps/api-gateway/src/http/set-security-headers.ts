import type { Request, Response } from 'express';

const HEADERS = {
  'x-content-type-options': 'nosniff',
  // Only the API reference is a page, and it sets its own policy.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  // Shared caches do not treat `x-api-key` like `Authorization`; they must not store responses.
  'cache-control': 'no-store',
} as const;

const TLS_ONLY = 'max-age=31536000';

export const setSecurityHeaders = (request: Request, response: Response): void => {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  // Browsers ignore the header over plain HTTP, so a wrong `x-forwarded-proto` does no harm.
  if (request.get('x-forwarded-proto') === 'https') {
    response.setHeader('strict-transport-security', TLS_ONLY);
  }
};
