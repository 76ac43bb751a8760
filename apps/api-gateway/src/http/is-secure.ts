import type { Request } from 'express';

/**
 * Returns whether the client uses HTTPS, to this process or to a proxy that sets
 * `x-forwarded-proto`. A client that forges the header harms only itself: it gets
 * `Strict-Transport-Security` and a `Secure` cookie, which browsers ignore over plain HTTP.
 */
export const isSecure = (request: Request): boolean =>
  request.secure || request.get('x-forwarded-proto') === 'https';
